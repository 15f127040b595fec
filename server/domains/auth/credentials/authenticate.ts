import type { Ctx } from '../../../ctx.ts'
import { type Database, tx } from '../../../db/database.ts'
import { JOB_TOKEN_LOGIN, SERVICE_NAME } from '../../../lib/aliases.ts'
import type { Credentials } from '../../../http/request/exchange.ts'
import { fail, Failure } from '../../../lib/fail.ts'
import { type Actor, anonymous, type UserActor } from '../../../policy/actor.ts'
import { settingsOf } from '../../settings/index.ts'
import { recordActivity, userById, userByUsername } from '../../users/index.ts'
import { actorOf, checkMayAct } from './account-state.ts'
import { isKnownWrong, type PasswordCredentials, userByPassword } from '../sign_in/passwords.ts'
import { actorOfSession } from './session-actor.ts'
import { limitFailures, wrongCredential } from './throttle.ts'
import { publish } from '../../../events/publish.ts'
import { isoDate } from '../../../lib/clock.ts'
import { tokenDigest } from '../../../lib/security/crypto.ts'
import { TokenRevoked } from '../events.ts'
import * as store from '../store.ts'
import * as oauth from '../oauth/tokens/store.ts'

/** Returns the IP addresses of a user, each with the time of its last request in milliseconds. */
function addressesOf(db: Database, userId: number): Map<string, number> {
  const users = db.instance('auth.addresses', () => new Map<number, Map<string, number>>(), {
    dependsOnRows: true,
  })
  const addresses = users.get(userId) ?? new Map<string, number>()
  users.set(userId, addresses)
  return addresses
}

/**
 * Throws 403 if a user exceeds the number of IP addresses that the settings allow within a period (spec
 * administration 1.2, `unique_ips_limit_*`). A refused address is not counted, so the other addresses keep working.
 */
function checkAddress(ctx: Ctx, userId: number, ip: string): void {
  const settings = settingsOf(ctx)
  if (!settings.unique_ips_limit_enabled || ip === '') return
  const now = Date.parse(ctx.now)
  const addresses = addressesOf(ctx.db, userId)
  for (const [address, at] of addresses)
    if (at <= now - settings.unique_ips_limit_time_window * 1000) addresses.delete(address)
  if (!addresses.has(ip) && addresses.size >= settings.unique_ips_limit_per_user) {
    const reason = `Too many logins from different IPs: ${SERVICE_NAME} user ${userId} tried to sign in from ${ip}`
    throw fail('forbidden', `403 Forbidden - ${reason}`)
  }
  addresses.set(ip, now)
}

const INSUFFICIENT = {
  error: 'insufficient_scope',
  error_description: 'The request requires higher privileges than provided by the access token.',
  scope: 'sudo',
}

/**
 * Returns the actor for a sudo request: the named user, with that user's permissions and all scopes (spec core 8.4).
 * Throws 401 for an anonymous caller, 403 for a caller who is not an administrator or has no token with the scope
 * `sudo`, 404 for an unknown user.
 */
function sudoActor(ctx: Ctx, caller: Actor, sudoUser: string): UserActor {
  if (caller.kind !== 'user') throw fail('unauthorized')
  if (!caller.is_admin) throw fail('forbidden', '403 Forbidden - Must be admin to use sudo')
  if (caller.via !== 'token' || caller.scopes === null) {
    throw fail(
      'forbidden',
      '403 Forbidden - Must be authenticated using an OAuth or Personal Access Token to use sudo',
    )
  }
  if (!caller.scopes.has('sudo')) throw new Failure('forbidden', undefined, { body: INSUFFICIENT })
  const user = /^\d{1,15}$/.test(sudoUser)
    ? userById(ctx.db, Number(sudoUser))
    : userByUsername(ctx.db, sudoUser)
  if (!user) throw fail('not_found', `404 User with ID or username '${sudoUser}' Not Found`)
  checkMayAct(ctx, user)
  const { token_id } = caller
  return actorOf(
    { ...user, user_id: user.id },
    { scopes: null, via: 'token', sudo_by: caller.id, ...(token_id === undefined ? {} : { token_id }) },
  )
}

/** A credential of a request, and where the request carries it. */
type Credential =
  | { readonly carrier: 'job' | 'private' | 'bearer'; readonly token: string }
  | { readonly carrier: 'session' }

const BEARER = /^Bearer\s+(\S+)\s*$/i

/**
 * Returns the first credential of a request in the contract's order (spec core 8.4): `JOB-TOKEN` or `job_token`, then
 * `PRIVATE-TOKEN` or `private_token`, then `Authorization: Bearer` or `access_token`, else the session cookie. A
 * header takes precedence over its parameter.
 */
function credentialIn(request: Credentials): Credential {
  const job = request.header('job-token') || textOf(request.query['job_token'])
  if (job) return { carrier: 'job', token: job }
  const token = request.header('private-token') || textOf(request.query['private_token'])
  if (token) return { carrier: 'private', token }
  const bearer = BEARER.exec(request.header('authorization'))?.[1] ?? textOf(request.query['access_token'])
  return bearer ? { carrier: 'bearer', token: bearer } : { carrier: 'session' }
}

/** Returns the user to act as, from the header `Sudo` or the parameter `sudo`; an empty string without them. */
function sudoOf(request: Credentials): string {
  return request.header('sudo') || textOf(request.query['sudo'])
}

/**
 * Returns a parameter as text. Lists and hashes become an invalid credential, so that the request does not continue
 * as anonymous.
 */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
}

/**
 * Authenticates a request by its first credential in the contract's order (spec core 8.4). Invalid credentials are
 * refused, not ignored.
 */
export function authenticate(ctx: Ctx, request: Credentials): Actor {
  const caller = callerOf(ctx, request)
  if (caller.kind === 'user' && caller.via !== 'job') checkAddress(ctx, caller.id, request.ip)
  const sudoUser = sudoOf(request)
  return sudoUser ? sudoActor(ctx, caller, sudoUser) : caller
}

function callerOf(ctx: Ctx, request: Credentials): Actor {
  const credential = credentialIn(request)
  if (credential.carrier === 'session') return actorOfSession(ctx, request) ?? anonymous
  const { carrier, token } = credential
  if (carrier === 'job') {
    const jobActor = request.takesJobToken ? actorOfJobToken(ctx, token) : undefined
    if (!jobActor) throw wrongCredential(ctx, token, fail('unauthorized'), request.ip)
    return jobActor
  }
  const actor =
    actorOfPersonalToken(ctx, token) ?? (carrier === 'bearer' ? actorOfOAuthToken(ctx, token) : undefined)
  if (!actor) throw wrongCredential(ctx, token, fail('unauthorized'), request.ip)
  return actor
}

/** The user name for OAuth tokens in git over HTTP. */
const OAUTH_LOGIN = 'oauth2'

const READ_SCOPES: ReadonlySet<string> = new Set(['read_repository'])

/**
 * Authenticates git over HTTP. The accepted pairs of user name and password are: the job user with the token of a
 * running job, any name with a personal access token (tools in CI jobs use the job user for these, too), `oauth2`
 * with an OAuth token, and a login with its password if the settings allow it. Returns undefined for a password that
 * is known to be wrong. Throws 401 for other invalid credentials, 429 for an address with too many wrong passwords.
 */
export async function gitActor(
  ctx: Ctx,
  login: string,
  password: string,
  ip = '',
): Promise<UserActor | undefined> {
  const actor = await gitUser(ctx, { login, password, ip })
  if (actor && actor.via !== 'job') checkAddress(ctx, actor.id, ip)
  return actor
}

async function gitUser(ctx: Ctx, credentials: PasswordCredentials): Promise<UserActor | undefined> {
  const { login, password } = credentials
  // A job token can only read code.
  const byToken =
    (login === JOB_TOKEN_LOGIN ? actorOfJobToken(ctx, password, READ_SCOPES) : undefined) ??
    actorOfPersonalToken(ctx, password) ??
    (login === OAUTH_LOGIN ? actorOfOAuthToken(ctx, password) : undefined)
  if (byToken) return byToken
  if (login === JOB_TOKEN_LOGIN || !settingsOf(ctx).password_authentication_enabled_for_git)
    throw wrongCredential(ctx, password, fail('unauthorized'), credentials.ip)
  // Git clients repeat wrong credentials. A repetition is not another guess, so it does not count for the throttle.
  if (isKnownWrong(ctx, credentials)) return undefined
  const user = await limitFailures(ctx, credentials.ip, async () => {
    const account = await userByPassword(ctx, credentials)
    if (!account) throw fail('unauthorized')
    return account
  })
  checkMayAct(ctx, user)
  recordActivity(ctx, user.id)
  return actorOf({ ...user, user_id: user.id }, { scopes: null, via: 'password' })
}

const REVOKED = 'Token was revoked. You have to re-authorize from the user.'
const EXPIRED = 'Token is expired. You can either do re-authorization or token refresh.'
const IMPERSONATION_OFF = 'Token is an impersonation token but impersonation was disabled.'

/** Returns a 401 error in the format of OAuth, with its header (spec core 8.4). */
function invalidToken(description: string): Failure {
  return new Failure('unauthorized', undefined, {
    body: { error: 'invalid_token', error_description: description },
    headers: {
      'WWW-Authenticate': `Bearer realm="Protected by OAuth 2.0", error="invalid_token", error_description="${description}"`,
    },
  })
}

/**
 * Returns the actor of a personal access token; undefined for an unknown token. Throws 401 for a revoked or expired
 * token, and for an impersonation token if impersonation is disabled; 403 for an account that cannot act.
 */
export function actorOfPersonalToken(ctx: Ctx, token: string): UserActor | undefined {
  const digest = tokenDigest(token)
  const identity = ctx.db.rememberRows(`token:${digest}`, () => store.tokenIdentity(ctx.db, digest))
  if (!identity || isDisabled(ctx, identity)) return undefined
  if (identity.revoked) {
    revokeSuccessors(ctx, identity)
    throw invalidToken(REVOKED)
  }
  if (identity.expires_at && identity.expires_at <= isoDate(ctx.now)) throw invalidToken(EXPIRED)
  if (identity.impersonation && !ctx.config.impersonation) throw invalidToken(IMPERSONATION_OFF)
  checkMayAct(ctx, identity)
  store.recordTokenUse(ctx, identity.token_id)
  recordActivity(ctx, identity.user_id)
  const scopes = new Set(identity.scopes)
  const is_admin = mayAdminister(ctx, scopes) && identity.is_admin
  return actorOf({ ...identity, is_admin }, { scopes, via: 'token', token_id: identity.token_id })
}

/**
 * Returns true if an administrator's token has administrator rights. In admin mode it requires the scope
 * `admin_mode`.
 */
function mayAdminister(ctx: Pick<Ctx, 'db' | 'now'>, scopes: ReadonlySet<string>): boolean {
  return scopes.has('admin_mode') || !settingsOf(ctx).admin_mode
}

/** Returns true if personal access tokens are disabled and the token belongs to a user. Tokens of bots stay valid. */
function isDisabled(ctx: Ctx, { bot }: store.TokenIdentity): boolean {
  return !bot && settingsOf(ctx).disable_personal_access_tokens
}

/**
 * Revokes the active successors of a rotated token that was used again, because it may have leaked (spec core 7.4).
 */
function revokeSuccessors(ctx: Ctx, identity: store.TokenIdentity): void {
  const successors = ctx.db.remember(`token-successors:${identity.token_id}`, () =>
    store.activeSuccessors(ctx.db, identity.token_id),
  )
  if (successors.length === 0) return
  tx(ctx.db, () => {
    for (const token_id of successors) {
      store.revokeToken(ctx.db, token_id)
      publish(ctx, TokenRevoked, { token_id, user_id: identity.user_id, actor_id: null })
    }
  })
  ctx.log.warn({ token_id: identity.token_id, revoked: successors }, 'a rotated token was used again')
}

/**
 * Returns the actor of an OAuth access token; undefined for an unknown token. Throws 401 for a revoked or expired
 * token, and for a token without a user (client credentials); 403 for an account that cannot act.
 */
export function actorOfOAuthToken(ctx: Ctx, token: string): UserActor | undefined {
  const digest = tokenDigest(token)
  const oauthToken = ctx.db.rememberRows(`oauth:${digest}`, () => oauth.oauthIdentity(ctx.db, digest))
  if (!oauthToken) return undefined
  if (oauthToken.revoked_at) throw invalidToken(REVOKED)
  if (oauthToken.expires_at <= ctx.now) throw invalidToken(EXPIRED)
  if (oauthToken.user_id === null) throw fail('unauthorized')
  const identity = { ...oauthToken, user_id: oauthToken.user_id }
  checkMayAct(ctx, identity)
  if (oauthToken.last_used_at === null) oauth.recordFirstUse(ctx, oauthToken)
  else oauth.recordUse(ctx, oauthToken.oauth_token_id)
  recordActivity(ctx, identity.user_id)
  const scopes = new Set(oauthToken.scopes)
  const is_admin = mayAdminister(ctx, scopes) && identity.is_admin
  return actorOf({ ...identity, is_admin }, { scopes, via: 'token' })
}

/**
 * Returns the actor of a CI job token: the user who started the job, while it runs. Returns undefined for an invalid
 * token. Throws 403 for an account that cannot act. `scopes` restricts the actor in addition to the check of each
 * endpoint.
 */
export function actorOfJobToken(
  ctx: Ctx,
  token: string,
  scopes: ReadonlySet<string> | null = null,
): UserActor | undefined {
  const identity = store.jobIdentity(ctx.db, tokenDigest(token))
  if (!identity) return undefined
  checkMayAct(ctx, identity)
  const job = { id: identity.job_id, project_id: identity.project_id, isConfined: identity.is_confined }
  return { ...actorOf(identity, { scopes, via: 'job' }), job }
}
