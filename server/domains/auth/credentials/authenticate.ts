import type { Ctx } from '../../../ctx.ts'
import type { Database } from '../../../db/database.ts'
import { JOB_TOKEN_LOGIN, SERVICE_NAME } from '../../../lib/aliases.ts'
import type { Credentials } from '../../../http/request/credentials.ts'
import { Failure, fail } from '../../../lib/fail.ts'
import { anonymous, type Actor, type UserActor } from '../../../policy/actor.ts'
import { settingsOf } from '../../settings/index.ts'
import { userById, userByUsername, noteActivity } from '../../users/index.ts'
import { checkMayAct, actorOf } from './account-state.ts'
import { isKnownWrong, userByPassword, type PasswordCredentials } from '../sign_in/passwords.ts'
import { actorOfSession } from './session-actor.ts'
import { guarded, wrongCredential } from './throttle.ts'
import { actorOfOAuthToken, actorOfPersonalToken, actorOfJobToken } from './token-actor.ts'

/** Users → their IP addresses, with the time of the last request in milliseconds. */
function addressesOf(db: Database, userId: number): Map<string, number> {
  const users = db.instance('auth.addresses', () => new Map<number, Map<string, number>>(), {
    ofContent: true,
  })
  const addresses = users.get(userId) ?? new Map<string, number>()
  users.set(userId, addresses)
  return addresses
}

/**
 * Throws 403 if a user exceeds the allowed number of IP addresses in the time of the settings (spec administration 1.2,
 * `unique_ips_limit_*`). A refused address is not counted, so the others keep working.
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
 * The user that an administrator acts as, with that user's permissions. The scope `sudo` includes every other one (spec core
 * 8.4). Throws 401 for anonymous requests; 403 for users who are not administrators, without a token, and for a token without
 * the scope; 404 for an unknown user.
 */
function actAs(ctx: Ctx, real: Actor, sudoUser: string): UserActor {
  if (real.kind !== 'user') throw fail('unauthorized')
  if (!real.is_admin) throw fail('forbidden', '403 Forbidden - Must be admin to use sudo')
  if (real.via !== 'token' || real.scopes === null) {
    throw fail(
      'forbidden',
      '403 Forbidden - Must be authenticated using an OAuth or Personal Access Token to use sudo',
    )
  }
  if (!real.scopes.has('sudo')) throw new Failure('forbidden', undefined, { body: INSUFFICIENT })
  const user = /^\d{1,15}$/.test(sudoUser)
    ? userById(ctx.db, Number(sudoUser))
    : userByUsername(ctx.db, sudoUser)
  if (!user) throw fail('not_found', `404 User with ID or username '${sudoUser}' Not Found`)
  checkMayAct(ctx, user)
  const { token_id } = real
  return actorOf(
    { ...user, user_id: user.id },
    { scopes: null, via: 'token', sudo_by: real.id, ...(token_id === undefined ? {} : { token_id }) },
  )
}

/** The first credential of a request, in the contract's order (spec core 8.4). */
type Credential =
  | { readonly carrier: 'job' | 'private' | 'bearer'; readonly token: string }
  | { readonly carrier: 'session' }

const BEARER = /^Bearer\s+(\S+)\s*$/i

/**
 * `JOB-TOKEN` or `job_token`, then `PRIVATE-TOKEN` or `private_token`, then `Authorization: Bearer` or `access_token`; else a
 * session cookie. A header wins over its parameter.
 */
function credentialIn(request: Credentials): Credential {
  const job = request.header('job-token') || textOf(request.query['job_token'])
  if (job) return { carrier: 'job', token: job }
  const token = request.header('private-token') || textOf(request.query['private_token'])
  if (token) return { carrier: 'private', token }
  const bearer = BEARER.exec(request.header('authorization'))?.[1] ?? textOf(request.query['access_token'])
  return bearer ? { carrier: 'bearer', token: bearer } : { carrier: 'session' }
}

/** The user to act as: parameter `sudo`, or header `Sudo`. Empty without one. */
function sudoOf(request: Credentials): string {
  return request.header('sudo') || textOf(request.query['sudo'])
}

/** A parameter as text. A list or a hash is an invalid credential; the request must not continue as anonymous. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
}

/**
 * Authenticates a request by its first credential in the contract's order (spec core 8.4). Invalid credentials are refused,
 * never ignored.
 */
export function authenticate(ctx: Ctx, request: Credentials): Actor {
  const real = realActor(ctx, request)
  if (real.kind === 'user' && real.via !== 'job') checkAddress(ctx, real.id, request.ip)
  const sudoUser = sudoOf(request)
  return sudoUser ? actAs(ctx, real, sudoUser) : real
}

function realActor(ctx: Ctx, request: Credentials): Actor {
  const carried = credentialIn(request)
  if (carried.carrier === 'session') return actorOfSession(ctx, request) ?? anonymous
  const { carrier, token } = carried
  if (carrier === 'job') {
    const running = request.takesJobToken ? actorOfJobToken(ctx, token) : undefined
    if (!running) throw wrongCredential(ctx, token, fail('unauthorized'), request.ip)
    return running
  }
  const actor =
    actorOfPersonalToken(ctx, token) ?? (carrier === 'bearer' ? actorOfOAuthToken(ctx, token) : undefined)
  if (!actor) throw wrongCredential(ctx, token, fail('unauthorized'), request.ip)
  return actor
}

/** The user name for OAuth tokens over git. */
const OAUTH_LOGIN = 'oauth2'

const READING: ReadonlySet<string> = new Set(['read_repository'])

/**
 * Authenticates git over HTTP: the fixed name of jobs with the token of a running job, any user name with a personal token as
 * the password (release tools in a job use the fixed name with a personal or project token), `oauth2` with an OAuth token, or a
 * login with its password if the settings allow it. Undefined or 401 for invalid credentials, 429 for an address with too many
 * wrong passwords.
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
    (login === JOB_TOKEN_LOGIN ? actorOfJobToken(ctx, password, READING) : undefined) ??
    actorOfPersonalToken(ctx, password) ??
    (login === OAUTH_LOGIN ? actorOfOAuthToken(ctx, password) : undefined)
  if (byToken) return byToken
  if (login === JOB_TOKEN_LOGIN || !settingsOf(ctx).password_authentication_enabled_for_git)
    throw wrongCredential(ctx, password, fail('unauthorized'), credentials.ip)
  // Programs repeat their credentials; a repetition is not a guess.
  if (isKnownWrong(ctx, credentials)) return undefined
  const user = await guarded(ctx, credentials.ip, async () => {
    const account = await userByPassword(ctx, credentials)
    if (!account) throw fail('unauthorized')
    return account
  })
  checkMayAct(ctx, user)
  noteActivity(ctx, user.id)
  return actorOf({ ...user, user_id: user.id }, { scopes: null, via: 'password' })
}
