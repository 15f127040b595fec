import type { Actor } from '../../policy/actor.ts'
import { abilitiesOn } from '../../policy/ability.ts'
import { GUEST, MAINTAINER, MINIMAL, OWNER } from '../../policy/levels.ts'
import { group } from '../groups/index.ts'
import { project } from '../projects/index.ts'
import type { MemberSource } from '../members/index.ts'

const signedIn = (actor: Actor): boolean => actor.kind !== 'anonymous'

/**
 * Everybody who can read the project can call these endpoints. Without permission they return 401 or 400, not 403 (spec core
 * 7.4).
 */
export const abilities = abilitiesOn(project, {
  ask_for_access_tokens: { from: GUEST, public: true, archived: true, when: signedIn },
  manage_access_tokens: { from: MAINTAINER, archived: true },
})

/** The same for a group. Its owners have permission. */
export const groupAbilities = abilitiesOn(group, {
  ask_for_group_access_tokens: { from: MINIMAL, public: true, when: signedIn },
  manage_group_access_tokens: { from: OWNER },
})

/** A project or group as the owner of access tokens, with the caller's permissions. */
export interface TokenOwner {
  readonly kind: 'project' | 'group'
  readonly id: number
  /** The project or group of which the bots are members. */
  readonly members: MemberSource
  /** Whether the caller can manage its tokens. */
  readonly manages: boolean
  /** The caller's role; `Infinity` for administrators. */
  readonly level: number
}

/** Who manages the SCIM users of a group. */
export const scimAbilities = abilitiesOn(group, { manage_group_scim: { from: OWNER } })
