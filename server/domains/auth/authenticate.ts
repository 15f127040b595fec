import type { Ctx } from '../../ctx.ts'
import { JOB_TOKEN_LOGIN } from '../../http/aliases.ts'
import type { Credentials } from '../../http/pipeline.ts'
import { fail } from '../../lib/fail.ts'
import { anonymous, type Actor, type UserActor } from '../../policy/actor.ts'
import { settingsOf } from '../settings/index.ts'
import { checkMayAct } from './account-state.ts'
import { carriedBy, sudoOf } from './carriers.ts'
import { actorOf, noteActivity } from './identity.ts'
import { actorOfJobToken } from './job-token.ts'
import { isKnownWrong, userByPassword, type ShownPassword } from './passwords.ts'
import { actorOfSession } from './session-actor.ts'
import { actAs } from './sudo.ts'
import { guarded } from './throttle.ts'
import { wrongCredential } from './wrong-credential.ts'
import { checkAddress } from './unique-ips.ts'
import { actorOfOAuthToken, actorOfPersonalToken } from './token-actor.ts'

/**
 * Who asks, by the first carrier of the contract's order that the request has (spec core 8.4). Credentials that are shown
 * and do not hold are refused, never ignored.
 */
export function authenticate(ctx: Ctx, request: Credentials): Actor {
  const real = realActor(ctx, request)
  if (real.kind === 'user' && real.via !== 'job') checkAddress(ctx, real.id, request.ip)
  const whom = sudoOf(request)
  return whom ? actAs(ctx, real, whom) : real
}

function realActor(ctx: Ctx, request: Credentials): Actor {
  const carried = carriedBy(request)
  if (carried.carrier === 'session') return actorOfSession(ctx, request) ?? anonymous
  const { carrier, token } = carried
  if (carrier === 'job') {
    const running = request.takesJobToken ? actorOfJobToken(ctx, token) : undefined
    if (!running) throw wrongCredential(ctx, token, fail('unauthorized'), request.ip)
    return running
  }
  const found =
    actorOfPersonalToken(ctx, token) ?? (carrier === 'bearer' ? actorOfOAuthToken(ctx, token) : undefined)
  if (!found) throw wrongCredential(ctx, token, fail('unauthorized'), request.ip)
  return found
}

/** The user name that goes with an OAuth token over git. */
const OAUTH_LOGIN = 'oauth2'

const READING: ReadonlySet<string> = new Set(['read_repository'])

/**
 * Who asks over git: the fixed name of jobs with the token of a running one, any user name with a personal token as the
 * password (programs that cut releases in a job give the fixed name of jobs with the token of a person or a project),
 * `oauth2` with an OAuth token, or a login with its password where the settings allow that. Undefined or 401 when the
 * credentials do not hold, 429 for an address with too many wrong passwords.
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

async function gitUser(ctx: Ctx, shown: ShownPassword): Promise<UserActor | undefined> {
  const { login, password } = shown
  // The token of a job reads code and does nothing else.
  const byToken =
    (login === JOB_TOKEN_LOGIN ? actorOfJobToken(ctx, password, READING) : undefined) ??
    actorOfPersonalToken(ctx, password) ??
    (login === OAUTH_LOGIN ? actorOfOAuthToken(ctx, password) : undefined)
  if (byToken) return byToken
  if (login === JOB_TOKEN_LOGIN || !settingsOf(ctx).password_authentication_enabled_for_git)
    throw wrongCredential(ctx, password, fail('unauthorized'), shown.ip)
  // Programs try again and again with what they were given once; that is no guess.
  if (isKnownWrong(ctx, shown)) return undefined
  const user = await guarded(ctx, shown.ip, async () => {
    const found = await userByPassword(ctx, shown)
    if (!found) throw fail('unauthorized')
    return found
  })
  checkMayAct(ctx, user)
  noteActivity(ctx, user.id)
  return actorOf({ ...user, user_id: user.id }, { scopes: null, via: 'password' })
}
