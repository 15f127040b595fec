import { abilitiesOn } from '../../policy/ability.ts'
import type { Actor } from '../../policy/actor.ts'
import { GUEST, MINIMAL, REPORTER } from '../../policy/levels.ts'
import { group } from '../groups/index.ts'
import { project, type Project } from '../projects/index.ts'

const isUser = (actor: Actor): boolean => actor.kind === 'user'

/** Whether a project has labels and milestones: only if issues or merge requests are enabled. */
export function hasPlanning(_: Actor, owner: Project): boolean {
  return owner.issues_access_level !== 'disabled' || owner.merge_requests_access_level !== 'disabled'
}

/** Abilities for the boards, labels and milestones of a project. */
export const abilities = abilitiesOn(project, {
  read_board: { from: GUEST, feature: 'issues', public: true },
  admin_board: { from: REPORTER, feature: 'issues' },
  read_label: { from: GUEST, public: true, when: hasPlanning },
  subscribe_label: {
    from: GUEST,
    public: true,
    when: (actor, owner) => isUser(actor) && hasPlanning(actor, owner),
  },
  admin_label: { from: REPORTER, when: hasPlanning },
  read_milestone: { from: GUEST, public: true, when: hasPlanning },
  admin_milestone: { from: REPORTER, when: hasPlanning },
})

/** Abilities for the boards, labels and milestones of a group. */
export const groupAbilities = abilitiesOn(group, {
  read_group_board: { from: MINIMAL, public: true },
  admin_group_board: { from: REPORTER },
  read_group_label: { from: MINIMAL, public: true },
  subscribe_group_label: { from: MINIMAL, public: true, when: isUser },
  admin_group_label: { from: REPORTER },
  read_group_milestone: { from: MINIMAL, public: true },
  admin_group_milestone: { from: REPORTER },
})
