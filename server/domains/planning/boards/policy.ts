import { abilitiesOn } from '../../../policy/ability.ts'
import { GUEST, MINIMAL, REPORTER } from '../../../policy/levels.ts'
import { group } from '../../groups/index.ts'
import { project } from '../../projects/index.ts'

/** Abilities for the boards of a project. */
export const abilities = abilitiesOn(project, {
  read_board: { from: GUEST, feature: 'issues', public: true },
  admin_board: { from: REPORTER, feature: 'issues' },
})

/** Abilities for the boards of a group. */
export const groupAbilities = abilitiesOn(group, {
  read_group_board: { from: MINIMAL, public: true },
  admin_group_board: { from: REPORTER },
})
