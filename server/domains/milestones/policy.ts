import type { Actor } from '../../policy/actor.ts'
import { abilitiesOn } from '../../policy/ability.ts'
import { GUEST, MINIMAL, REPORTER } from '../../policy/levels.ts'
import { group } from '../groups/index.ts'
import { project, type Project } from '../projects/index.ts'

/** Milestones gather issues and merge requests; a project with neither has none. */
function isPlanned(_: Actor, owner: Project): boolean {
  return owner.issues_access_level !== 'disabled' || owner.merge_requests_access_level !== 'disabled'
}

/** What can be done with the milestones of a project. */
export const abilities = abilitiesOn(project, {
  read_milestone: { from: GUEST, public: true, when: isPlanned },
  admin_milestone: { from: REPORTER, when: isPlanned },
})

/** What can be done with the milestones of a group. */
export const groupAbilities = abilitiesOn(group, {
  read_group_milestone: { from: MINIMAL, public: true },
  admin_group_milestone: { from: REPORTER },
})
