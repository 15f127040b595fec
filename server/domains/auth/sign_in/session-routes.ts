import type { Ctx } from '../../../ctx.ts'
import { endpoint, type Exchange } from '../../../http/endpoint.ts'
import { bool, int, text } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import { fail, Failure, notFound } from '../../../lib/fail.ts'
import { settingsOf } from '../../settings/index.ts'
import type { UserRow } from '../../users/index.ts'
import { register, personSigningIn, awaitsConfirmation } from './accounts.ts'
import { enterAdminMode, leaveAdminMode } from '../credentials/admin-mode.ts'
import { FirstRun, OwnSession, Session, type SessionState } from '../entity.ts'
import { setUp, suggestions } from './first-run.ts'
import {
  canSignUp,
  proofOfPage,
  proofOf,
  sessionState,
  createSession,
  endSession,
} from '../credentials/sessions.ts'
import * as store from '../store.ts'
import { guarded } from '../credentials/throttle.ts'

const person = {
  name: text({ max: 255 }).describe('Name'),
  username: text({ max: 255 }).describe('User name'),
  email: text({ max: 254 }).describe('Email address'),
  password: text({ max: 1024 }).describe('Password'),
}

/** Signs a user in and returns the state for the window. */
function signInUser(ctx: Ctx, http: Exchange, user: UserRow): SessionState {
  const session = createSession(ctx, http, user)
  return sessionState(ctx, user.id, proofOf(ctx, session.id))
}

export const getSession = endpoint('GET /-/session', {
  summary: 'Get the session of the window',
  can: 'anyone',
  token: ['read_user'],
  volatile: true,
  whileBarred: true,
  returns: ok(Session),
  run: (ctx) => sessionState(ctx, ctx.actor.id, proofOfPage(ctx)),
})

export const signIn = endpoint('POST /-/session', {
  summary: 'Sign in to the window',
  can: 'anyone',
  whileBarred: true,
  params: {
    login: text({ max: 254 }).describe('User name or email address'),
    password: text({ max: 1024 }).describe('Password'),
    remember_me: bool().default(false).describe('Stay signed in for longer'),
  },
  fails: { 429: 'Too many failures from this address' },
  returns: created(Session),
  run: async ({ params, http, ...ctx }) => {
    if (!settingsOf(ctx).password_authentication_enabled_for_web)
      throw fail('forbidden', '403 Forbidden - Passwords are not accepted here.')
    const { login, password, remember_me } = params
    const user = await personSigningIn(ctx, http, { login, password })
    const { id } = createSession(ctx, http, user, remember_me)
    return sessionState(ctx, user.id, proofOf(ctx, id))
  },
})

export const signOut = endpoint('DELETE /-/session', {
  summary: 'Sign out of the window',
  can: 'anyone',
  whileBarred: true,
  returns: noContent,
  run: ({ http, ...ctx }) => endSession(ctx, http),
})

export const wakeAdminMode = endpoint('POST /-/session/admin', {
  summary: 'Enter admin mode',
  can: 'signed_in',
  whileBarred: true,
  params: { password: text({ max: 1024 }).describe('Password') },
  fails: { 429: 'Too many failures from this address' },
  returns: created(Session),
  run: async ({ params, http, ...ctx }) => {
    await enterAdminMode(ctx, http, params.password)
    return sessionState(ctx, ctx.actor.id, proofOfPage(ctx))
  },
})

export const endAdminMode = endpoint('DELETE /-/session/admin', {
  summary: 'Leave admin mode',
  can: 'signed_in',
  whileBarred: true,
  returns: ok(Session),
  run: (ctx) => {
    leaveAdminMode(ctx)
    return sessionState(ctx, ctx.actor.id, proofOfPage(ctx))
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
  params: { session_id: int({ min: 1 }).describe('Id of the session') },
  returns: noContent,
  run: ({ params, ...ctx }) => {
    if (!store.removeSessionOf(ctx.db, ctx.actor.id!, params.session_id)) throw notFound('Session')
  },
})

export const getFirstRun = endpoint('GET /-/first_run', {
  summary: 'Get the suggestions of the first run',
  can: 'anyone',
  volatile: true,
  fails: { 409: 'This instance is already set up.' },
  returns: ok(FirstRun),
  run: (ctx) => suggestions(ctx),
})

export const finishFirstRun = endpoint('POST /-/first_run', {
  summary: 'Create the first administrator',
  can: 'anyone',
  params: person,
  fails: { 400: 'A value is not acceptable', 409: 'This instance is already set up.' },
  returns: created(Session),
  run: async ({ params, http, ...ctx }) => {
    const { user, token } = await setUp(ctx, params)
    return { ...signInUser(ctx, http, user), token }
  },
})

/** Invisible fields (a honeypot): bots that fill in every field fill in these, too. */
const bait = text({ max: 1024 }).optional().describe('Leave it empty: filled in by bots only')
const APPROVAL = 'You have signed up. An administrator must approve your account first.'

/** True for a bot that filled in the honeypot, if the setting is on. The response does not reveal it. */
function isRobot(ctx: Ctx, baits: readonly (string | undefined)[]): boolean {
  return (
    settingsOf(ctx).invisible_captcha_enabled && baits.some((value) => value !== undefined && value !== '')
  )
}

export const signUp = endpoint('POST /-/registration', {
  summary: 'Sign up',
  can: 'anyone',
  params: {
    ...person,
    firstname: bait,
    lastname: bait,
  },
  fails: {
    400: 'A value is not acceptable',
    409: 'The user name or email address belongs to another user',
    429: 'Too many failures from this address',
  },
  returns: created(Session),
  run: async ({ params, http, ...ctx }) => {
    if (!canSignUp(ctx)) throw fail('forbidden', '403 Forbidden - Sign-up is switched off.')
    // Taken names count as guesses, because they reveal accounts.
    const isTaken = (error: unknown): boolean => error instanceof Failure && error.kind === 'conflict'
    const { firstname, lastname, ...input } = params
    if (isRobot(ctx, [firstname, lastname])) return { ...sessionState(ctx, null), message: APPROVAL }
    const user = await guarded(ctx, http, () => register(ctx, input), isTaken)
    if (user.state === 'active' && !awaitsConfirmation(ctx, user)) return signInUser(ctx, http, user)
    const message =
      user.state === 'active'
        ? 'You have signed up. Your email address must be confirmed first; an administrator has the link.'
        : APPROVAL
    return { ...sessionState(ctx, null), message }
  },
})
