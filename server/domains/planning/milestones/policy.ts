import { abilitiesOn } from '../../../policy/ability.ts'
import { GUEST, MINIMAL, REPORTER } from '../../../policy/levels.ts'
import { group } from '../../groups/index.ts'
import { isPlanned } from '../labels/policy.ts'
import { project } from '../../projects/index.ts'

/** Abilities for the milestones of a project. */
export const abilities = abilitiesOn(project, {
  read_milestone: { from: GUEST, public: true, when: isPlanned },
  admin_milestone: { from: REPORTER, when: isPlanned },
})

/** Abilities for the milestones of a group. */
export const groupAbilities = abilitiesOn(group, {
  read_group_milestone: { from: MINIMAL, public: true },
  admin_group_milestone: { from: REPORTER },
})
