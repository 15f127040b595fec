import type { Ctx } from '../../../ctx.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { int, text } from '../../../http/params.ts'
import { created, noContent, ok } from '../../../http/returns.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { userById, type UserRow } from '../../users/index.ts'
import { OneTimeLinkView, Session } from '../entity.ts'
import {
  acceptTerms,
  changeOwnPassword,
  confirmAddress,
  createConfirmationLink,
  createResetLink,
  resetPassword,
} from './recovery.ts'
import { pageTokensOfCaller, sessionState } from '../credentials/sessions.ts'
import { limitFailures } from '../credentials/throttle.ts'

const password = text({ max: 1024 }).describe('New password')

/** Throws 403 for a request without a session of the window, for example with a token. */
function requireWindowSession(ctx: Ctx): void {
  if (ctx.actor.kind !== 'user' || ctx.actor.via !== 'session') throw fail('forbidden')
}

function userOf(ctx: Ctx, id: number): UserRow {
  const user = userById(ctx.db, id)
  if (!user) throw notFound('User')
  return user
}

export const changePassword = endpoint('PUT /-/profile/password', {
  summary: 'Change the password of the current user',
  can: 'signed_in',
  allowsRestrictedSession: true,
  params: { current_password: text({ max: 1024 }).describe('The current password'), password },
  fails: { 400: 'A password is invalid', 429: 'Too many failures from this address' },
  returns: ok(Session),
  run: async ({ params, http, ...ctx }) => {
    requireWindowSession(ctx)
    await limitFailures(ctx, http, () => changeOwnPassword(ctx, { ...params, ip: http.ip }))
    return sessionState(ctx, ctx.actor.id, pageTokensOfCaller(ctx))
  },
})

export const acceptTermsOfService = endpoint('POST /-/terms/acceptance', {
  summary: 'Accept the terms of service',
  can: 'signed_in',
  allowsRestrictedSession: true,
  returns: ok(Session),
  run: (ctx) => {
    requireWindowSession(ctx)
    acceptTerms(ctx)
    return sessionState(ctx, ctx.actor.id, pageTokensOfCaller(ctx))
  },
})

export const usePasswordReset = endpoint('POST /-/password_reset', {
  summary: 'Set a new password with a password reset link',
  can: 'anyone',
  ignoresCredentials: true,
  params: { token: text({ max: 255 }).describe('Token of the link'), password },
  fails: { 400: 'The token or the password is invalid', 429: 'Too many failures from this address' },
  returns: noContent,
  run: ({ params, http, ...ctx }) =>
    limitFailures(ctx, http, () => resetPassword(ctx, params.token, params.password)),
})

export const useConfirmation = endpoint('POST /-/confirmation', {
  summary: 'Confirm an email address with a confirmation link',
  can: 'anyone',
  ignoresCredentials: true,
  params: { token: text({ max: 255 }).describe('Token of the link') },
  fails: { 400: 'The token is invalid', 429: 'Too many failures from this address' },
  returns: noContent,
  run: ({ params, http, ...ctx }) =>
    limitFailures(ctx, http, () => Promise.resolve().then(() => confirmAddress(ctx, params.token))),
})

export const createPasswordReset = endpoint('POST /-/admin/users/:id/password_reset', {
  summary: 'Create a password reset link for a user',
  can: 'admin',
  volatile: true,
  params: { id: int({ min: 1 }).describe('The ID of the user') },
  returns: created(OneTimeLinkView),
  run: ({ params, ...ctx }) => createResetLink(ctx, userOf(ctx, params.id).id),
})

export const createConfirmation = endpoint('POST /-/admin/users/:id/confirmation', {
  summary: 'Create a confirmation link for the email address of a user',
  can: 'admin',
  volatile: true,
  params: { id: int({ min: 1 }).describe('The ID of the user') },
  fails: { 409: 'The email address is already confirmed.' },
  returns: created(OneTimeLinkView),
  run: ({ params, ...ctx }) => createConfirmationLink(ctx, userOf(ctx, params.id)),
})
