import type { Actor } from '../../policy/actor.ts'
import { abilitiesOn } from '../../policy/ability.ts'
import { GUEST, MAINTAINER, MINIMAL, OWNER } from '../../policy/levels.ts'
import { group } from '../groups/index.ts'
import { project } from '../projects/index.ts'
import type { MemberSource } from '../members/index.ts'

const isSignedIn = (actor: Actor): boolean => actor.kind !== 'anonymous'

/**
 * Abilities on the access tokens of a project. Every reader of the project can call the endpoints, because without
 * permission they must return 401 or 400 instead of 403 (spec core 7.4).
 */
export const abilities = abilitiesOn(project, {
  ask_for_access_tokens: { from: GUEST, public: true, archived: true, when: isSignedIn },
  manage_access_tokens: { from: MAINTAINER, archived: true },
})

/** Abilities on the access tokens of a group. */
export const groupAbilities = abilitiesOn(group, {
  ask_for_group_access_tokens: { from: MINIMAL, public: true, when: isSignedIn },
  manage_group_access_tokens: { from: OWNER },
})

/** A project or group as the owner of access tokens, with the caller's permissions. */
export interface TokenOwner {
  readonly kind: 'project' | 'group'
  readonly id: number
  /** The project or group of which the bots are members. */
  readonly members: MemberSource
  /** Whether the caller can manage the tokens. */
  readonly manages: boolean
  /** The caller's role; `Infinity` for administrators. */
  readonly level: number
}

/** Ability to manage the SCIM users of a group. */
export const scimAbilities = abilitiesOn(group, { manage_group_scim: { from: OWNER } })
