import type { Ctx } from '../../../ctx.ts'
import { endpoint, type Exchange } from '../../../http/endpoint.ts'
import { bool, int, text } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import { fail, Failure, notFound } from '../../../lib/fail.ts'
import { settingsOf } from '../../settings/index.ts'
import type { UserRow } from '../../users/index.ts'
import { register, signInByPassword, mustConfirmEmail } from './accounts.ts'
import { enterAdminMode, leaveAdminMode } from '../credentials/admin-mode.ts'
import { FirstRun, OwnSession, Session, type SessionState } from '../entity.ts'
import { completeFirstRun, firstRunSuggestions } from './first-run.ts'
import {
  canSignUp,
  pageTokensOfCaller,
  pageTokensOf,
  sessionState,
  createSession,
  endSession,
} from '../credentials/sessions.ts'
import * as store from '../store.ts'
import { limitFailures } from '../credentials/throttle.ts'

const identityParams = {
  name: text({ max: 255 }).describe('Name'),
  username: text({ max: 255 }).describe('User name'),
  email: text({ max: 254 }).describe('Email address'),
  password: text({ max: 1024 }).describe('Password'),
}

/** Signs a user in and returns the state for the window. */
function signInUser(ctx: Ctx, http: Exchange, user: UserRow): SessionState {
  const session = createSession(ctx, http, user)
  return sessionState(ctx, user.id, pageTokensOf(ctx, session.id))
}

export const getSession = endpoint('GET /-/session', {
  summary: 'Get the session of the window',
  can: 'anyone',
  token: ['read_user'],
  volatile: true,
  allowsRestrictedSession: true,
  returns: ok(Session),
  run: (ctx) => sessionState(ctx, ctx.actor.id, pageTokensOfCaller(ctx)),
})

export const signIn = endpoint('POST /-/session', {
  summary: 'Sign in to the window',
  can: 'anyone',
  allowsRestrictedSession: true,
  params: {
    login: text({ max: 254 }).describe('User name or email address'),
    password: text({ max: 1024 }).describe('Password'),
    remember_me: bool().default(false).describe('Stay signed in after the browser is closed'),
  },
  fails: { 429: 'Too many failures from this address' },
  returns: created(Session),
  run: async ({ params, http, ...ctx }) => {
    if (!settingsOf(ctx).password_authentication_enabled_for_web)
      throw fail('forbidden', '403 Forbidden - Passwords are not accepted here.')
    const { login, password, remember_me } = params
    const user = await signInByPassword(ctx, http, { login, password })
    const { id } = createSession(ctx, http, user, remember_me)
    return sessionState(ctx, user.id, pageTokensOf(ctx, id))
  },
})

export const signOut = endpoint('DELETE /-/session', {
  summary: 'Sign out of the window',
  can: 'anyone',
  allowsRestrictedSession: true,
  returns: noContent,
  run: ({ http, ...ctx }) => endSession(ctx, http),
})

export const startAdminMode = endpoint('POST /-/session/admin', {
  summary: 'Enter admin mode',
  can: 'signed_in',
  allowsRestrictedSession: true,
  params: { password: text({ max: 1024 }).describe('Password') },
  fails: { 429: 'Too many failures from this address' },
  returns: created(Session),
  run: async ({ params, http, ...ctx }) => {
    await enterAdminMode(ctx, http, params.password)
    return sessionState(ctx, ctx.actor.id, pageTokensOfCaller(ctx))
  },
})

export const endAdminMode = endpoint('DELETE /-/session/admin', {
  summary: 'Leave admin mode',
  can: 'signed_in',
  allowsRestrictedSession: true,
  returns: ok(Session),
  run: (ctx) => {
    leaveAdminMode(ctx)
    return sessionState(ctx, ctx.actor.id, pageTokensOfCaller(ctx))
  },
})

export const listOwnSessions = endpoint('GET /-/profile/sessions', {
  summary: 'List the sessions of the current user',
  can: 'signed_in',
  volatile: true,
  returns: page(OwnSession),
  run: ({ paging, ...ctx }) => {
    const current = ctx.actor.kind === 'user' ? ctx.actor.session_id : undefined
    const { rows, total } = store.listSessions(ctx.db, ctx.actor.id!, paging, ctx.now)
    return { rows: rows.map((row) => ({ ...row, current: row.id === current })), total }
  },
})

export const endOwnSession = endpoint('DELETE /-/profile/sessions/:session_id', {
  summary: 'Revoke a session of the current user',
  can: 'signed_in',
  params: { session_id: int({ min: 1 }).describe('The ID of the session') },
  returns: noContent,
  run: ({ params, ...ctx }) => {
    if (!store.removeSessionOf(ctx.db, ctx.actor.id!, params.session_id)) throw notFound('Session')
  },
})

export const getFirstRun = endpoint('GET /-/first_run', {
  summary: 'Get suggested values for the first run',
  can: 'anyone',
  volatile: true,
  fails: { 409: 'This instance is already set up.' },
  returns: ok(FirstRun),
  run: (ctx) => firstRunSuggestions(ctx),
})

export const finishFirstRun = endpoint('POST /-/first_run', {
  summary: 'Create the first administrator',
  can: 'anyone',
  params: identityParams,
  fails: { 400: 'A value is invalid', 409: 'This instance is already set up.' },
  returns: created(Session),
  run: async ({ params, http, ...ctx }) => {
    const { user, token } = await completeFirstRun(ctx, params)
    return { ...signInUser(ctx, http, user), token }
  },
})

/** An invisible field. Bots that fill in every field fill in this one, too. */
const honeypot = text({ max: 1024 }).optional().describe('Leave empty. A value identifies a bot')
const APPROVAL = 'You have signed up. An administrator must approve your account first.'

/** Returns true if the honeypot is enabled and filled in. The response does not reveal this. */
function isBot(ctx: Ctx, honeypots: readonly (string | undefined)[]): boolean {
  return (
    settingsOf(ctx).invisible_captcha_enabled &&
    honeypots.some((value) => value !== undefined && value !== '')
  )
}

export const signUp = endpoint('POST /-/registration', {
  summary: 'Sign up',
  can: 'anyone',
  params: {
    ...identityParams,
    firstname: honeypot,
    lastname: honeypot,
  },
  fails: {
    400: 'A value is invalid',
    409: 'The user name or email address belongs to another user',
    429: 'Too many failures from this address',
  },
  returns: created(Session),
  run: async ({ params, http, ...ctx }) => {
    if (!canSignUp(ctx)) throw fail('forbidden', '403 Forbidden - Sign-up is switched off.')
    // Taken names count as guesses, because they reveal accounts.
    const isTaken = (error: unknown): boolean => error instanceof Failure && error.kind === 'conflict'
    const { firstname, lastname, ...input } = params
    if (isBot(ctx, [firstname, lastname])) return { ...sessionState(ctx, null), message: APPROVAL }
    const user = await limitFailures(ctx, http, () => register(ctx, input), isTaken)
    if (user.state === 'active' && !mustConfirmEmail(ctx, user)) return signInUser(ctx, http, user)
    const message =
      user.state === 'active'
        ? 'You have signed up. Your email address must be confirmed first; an administrator has the link.'
        : APPROVAL
    return { ...sessionState(ctx, null), message }
  },
})
