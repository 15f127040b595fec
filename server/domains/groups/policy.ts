import type { Actor } from '../../policy/actor.ts'
import { abilitiesOn } from '../../policy/ability.ts'
import { GUEST, MAINTAINER, MINIMAL, OWNER } from '../../policy/levels.ts'
import { group } from './scope.ts'

const signedIn = (actor: Actor): boolean => actor.kind !== 'anonymous'

/** What the foundation knows to be done with a group; features bring their own. */
export const abilities = abilitiesOn(group, {
  // Who belongs to something below sees that the group is there.
  read_group: { from: MINIMAL, public: true },
  update_group: { from: OWNER },
  delete_group: { from: OWNER },
  transfer_group: { from: OWNER },
  /** To invite other groups, and to send them away. */
  share_group: { from: OWNER },
  /** Maintainers, unless the group leaves it to its owners. */
  create_subgroup: { from: MAINTAINER },
  read_group_members: { from: GUEST, public: true, when: signedIn },
  manage_group_members: { from: OWNER },
  leave_group: { from: MINIMAL, public: true, when: signedIn },
})
