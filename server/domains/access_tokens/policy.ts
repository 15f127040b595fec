import type { Actor } from '../../policy/actor.ts'
import { abilitiesOn } from '../../policy/ability.ts'
import { GUEST, MAINTAINER, MINIMAL, OWNER } from '../../policy/levels.ts'
import { group } from '../groups/index.ts'
import { project } from '../projects/index.ts'

const signedIn = (actor: Actor): boolean => actor.kind !== 'anonymous'

/** Whoever sees the project may ask; the answer to those without the right is 401 or 400, not 403 (spec core 7.4). */
export const abilities = abilitiesOn(project, {
  ask_for_access_tokens: { from: GUEST, public: true, archived: true, when: signedIn },
  manage_access_tokens: { from: MAINTAINER, archived: true },
})

/** The same of a group, whose owners have the right. */
export const groupAbilities = abilitiesOn(group, {
  ask_for_group_access_tokens: { from: MINIMAL, public: true, when: signedIn },
  manage_group_access_tokens: { from: OWNER },
})
