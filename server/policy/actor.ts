/** A scope of a token. Null in an actor means no limit (a session, or a password for git). */
export type TokenScope =
  | 'api'
  | 'read_api'
  | 'read_user'
  | 'read_repository'
  | 'write_repository'
  | 'read_registry'
  | 'write_registry'
  | 'create_runner'
  | 'sudo'
  | 'admin_mode'
  | 'openid'
  | 'profile'
  | 'email'

/** The CI job that acts as its user. */
export interface ActorJob {
  readonly id: number
  readonly project_id: number
  /** Whether the job may access only public projects and its own (`ci_job_token_scope_enabled`). */
  readonly isConfined: boolean
}

/** A signed-in person or bot. */
export interface UserActor {
  readonly kind: 'user'
  readonly id: number
  readonly username: string
  readonly name: string
  readonly email: string
  readonly is_admin: boolean
  /** External users do not see internal groups and projects. */
  readonly external: boolean
  /** Auditors may read everything. This gives no right to write. */
  readonly auditor?: boolean
  /** The scopes of the token. Null when the actor is not limited. */
  readonly scopes: ReadonlySet<string> | null
  readonly via: 'session' | 'token' | 'password' | 'key' | 'system' | 'job'
  /** Set if the token of a CI job was used. */
  readonly job?: ActorJob
  readonly token_id?: number
  /** ID of the administrator who acts as this user by `sudo`. */
  readonly sudo_by?: number
  readonly session_id?: number
}

/** A caller without credentials. */
export interface AnonymousActor {
  readonly kind: 'anonymous'
  readonly id: null
  readonly is_admin: false
  readonly external: false
  readonly scopes: null
}

/** The instance itself, in jobs and at start. It may do everything. */
export interface SystemActor {
  readonly kind: 'system'
  readonly id: null
  readonly is_admin: true
  readonly external: false
  readonly scopes: null
}

/**
 * A deploy token: reads the code of one project, or of all projects below one group, over git. It has no access to the
 * API.
 */
export interface DeployTokenActor {
  readonly kind: 'deploy_token'
  readonly id: null
  readonly token_id: number
  /** Exactly one of `project_id` and `namespace_id` is set. */
  readonly project_id: number | null
  readonly namespace_id: number | null
  readonly is_admin: false
  readonly external: true
  readonly scopes: ReadonlySet<string>
}

/** A deploy key: reads the code of its projects over SSH, and writes it if permitted. */
export interface DeployKeyActor {
  readonly kind: 'deploy_key'
  /** The user who added the key. Events of its pushes name that user; the user's permissions do not matter. */
  readonly id: number | null
  readonly key_id: number
  readonly is_admin: false
  readonly external: true
  readonly scopes: null
}

/** The actor, resolved once per request by `domains/auth`, or for git from its credentials. */
export type Actor = UserActor | AnonymousActor | SystemActor | DeployTokenActor | DeployKeyActor

/** Whether the actor sees everything: administrators and auditors. */
export function seesAll(actor: Actor): boolean {
  return actor.is_admin || (actor.kind === 'user' && actor.auditor === true)
}

/** Whether a setting with a list of usernames contains the actor's. Upper and lower case are equal. */
export function isListed(actor: Actor, names: readonly string[]): boolean {
  if (actor.kind !== 'user') return false
  const username = actor.username.toLowerCase()
  return names.some((name) => name.toLowerCase() === username)
}

export const anonymous: AnonymousActor = {
  kind: 'anonymous',
  id: null,
  is_admin: false,
  external: false,
  scopes: null,
}

export const system: SystemActor = { kind: 'system', id: null, is_admin: true, external: false, scopes: null }
