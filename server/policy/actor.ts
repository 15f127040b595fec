/** What a token may be used for; `null` in an actor means "no limit" (a session, or a password given to git). */
export type TokenScope =
  | 'api'
  | 'read_api'
  | 'read_user'
  | 'read_repository'
  | 'write_repository'
  | 'read_registry'
  | 'write_registry'
  | 'sudo'
  | 'admin_mode'
  | 'openid'
  | 'profile'
  | 'email'

/** The CI job that acts as its user. */
export interface JobOfActor {
  readonly id: number
  readonly project_id: number
  /** It reaches public projects and its own only (`ci_job_token_scope_enabled`). */
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
  /** Auditors read everything and change nothing by that. */
  readonly auditor?: boolean
  /** Scopes of the token used, or null when nothing limits the actor. */
  readonly scopes: ReadonlySet<string> | null
  readonly via: 'session' | 'token' | 'password' | 'key' | 'system' | 'job'
  /** The CI job whose token was shown. */
  readonly job?: JobOfActor
  readonly token_id?: number
  /** Id of the administrator who acts as this user by `sudo`. */
  readonly sudo_by?: number
  readonly session_id?: number
}

/** Nobody in particular. */
export interface AnonymousActor {
  readonly kind: 'anonymous'
  readonly id: null
  readonly is_admin: false
  readonly external: false
  readonly scopes: null
}

/** The instance itself: jobs and start-up work. Allowed everything. */
export interface SystemActor {
  readonly kind: 'system'
  readonly id: null
  readonly is_admin: true
  readonly external: false
  readonly scopes: null
}

/** A deploy token: reads the code of one project, or of all below one group, over git. Never reaches the API. */
export interface DeployTokenActor {
  readonly kind: 'deploy_token'
  readonly id: null
  readonly token_id: number
  /** Exactly one of the two is set. */
  readonly project_id: number | null
  readonly namespace_id: number | null
  readonly is_admin: false
  readonly external: true
  readonly scopes: ReadonlySet<string>
}

/** A deploy key: reads, and where it may writes, the code of the projects that have it, over SSH. */
export interface DeployKeyActor {
  readonly kind: 'deploy_key'
  /** The user who added it, in whose name its pushes are told; their rights have no part in it. */
  readonly id: number | null
  readonly key_id: number
  readonly is_admin: false
  readonly external: true
  readonly scopes: null
}

/** Who asks. Resolved once per request by `domains/auth`, or for git by what it is shown. */
export type Actor = UserActor | AnonymousActor | SystemActor | DeployTokenActor | DeployKeyActor

/** True for whom nothing is invisible: administrators, and auditors, who only read. */
export function seesAll(actor: Actor): boolean {
  return actor.is_admin || (actor.kind === 'user' && actor.auditor === true)
}

/** True for a user whose name is in a list of the settings, whatever the case. */
export function isListed(actor: Actor, names: readonly string[]): boolean {
  if (actor.kind !== 'user') return false
  const own = actor.username.toLowerCase()
  return names.some((name) => name.toLowerCase() === own)
}

export const anonymous: AnonymousActor = {
  kind: 'anonymous',
  id: null,
  is_admin: false,
  external: false,
  scopes: null,
}

export const system: SystemActor = { kind: 'system', id: null, is_admin: true, external: false, scopes: null }
