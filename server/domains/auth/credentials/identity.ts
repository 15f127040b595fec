import type { UserActor } from '../../../policy/actor.ts'
import type { Identity } from '../store.ts'

/** Returns the actor of a user. */
export function actorOf(
  identity: Identity,
  more: Pick<UserActor, 'scopes' | 'via' | 'token_id' | 'session_id' | 'sudo_by'>,
): UserActor {
  return {
    kind: 'user',
    id: identity.user_id,
    username: identity.username,
    name: identity.name,
    email: identity.email,
    is_admin: identity.is_admin,
    external: identity.external,
    auditor: identity.is_auditor,
    ...more,
  }
}
