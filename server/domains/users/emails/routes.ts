import type { Ctx } from '../../../ctx.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { bool, int, text } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import { userOf } from '../service.ts'
import { Email } from '../entity.ts'
import { addEmail, getEmail, removeEmail } from './service.ts'
import * as store from './store.ts'

const emailId = { email_id: int({ min: 1 }).describe('The ID of the email address') }
const newEmail = { email: text({ max: 254 }).describe('Email address') }
const FAILURES = { 400: 'The email address is invalid or taken' }

export const listOwnEmails = endpoint('GET /user/emails', {
  summary: 'List the email addresses of the current user',
  can: 'signed_in',
  token: ['read_user'],
  returns: page(Email),
  run: ({ db, actor, paging }) => store.list(db, actor.id!, paging),
})

export const getOwnEmail = endpoint('GET /user/emails/:email_id', {
  summary: 'Get a secondary email address of the current user',
  can: 'signed_in',
  token: ['read_user'],
  params: emailId,
  returns: ok(Email),
  run: ({ params, ...ctx }) => getEmail(ctx, ctx.actor.id!, params.email_id),
})

export const addOwnEmail = endpoint('POST /user/emails', {
  summary: 'Add a secondary email address for the current user',
  can: 'signed_in',
  params: newEmail,
  fails: FAILURES,
  returns: created(Email),
  run: ({ params, ...ctx }) => addEmail(ctx, ctx.actor.id!, params.email, false),
})

export const removeOwnEmail = endpoint('DELETE /user/emails/:email_id', {
  summary: 'Delete a secondary email address of the current user',
  can: 'signed_in',
  params: emailId,
  returns: noContent,
  run: ({ params, http, ...ctx }) => removeIfUnmodified(ctx, ctx.actor.id!, params.email_id, http),
})

const userId = { id: int({ min: 1 }).describe('The ID of the user') }

export const listEmails = endpoint('GET /users/:id/emails', {
  summary: 'List the email addresses of a user',
  can: 'admin',
  params: userId,
  returns: page(Email),
  run: ({ params, paging, ...ctx }) => store.list(ctx.db, userOf(ctx, params.id).id, paging),
})

export const addEmailTo = endpoint('POST /users/:id/emails', {
  summary: 'Add a secondary email address for a user',
  can: 'admin',
  params: {
    ...userId,
    ...newEmail,
    skip_confirmation: bool().optional().describe('Whether to skip the confirmation of the email address'),
  },
  fails: FAILURES,
  returns: created(Email),
  run: ({ params, ...ctx }) =>
    addEmail(ctx, userOf(ctx, params.id).id, params.email, params.skip_confirmation ?? false),
})

export const removeEmailOf = endpoint('DELETE /users/:id/emails/:email_id', {
  summary: 'Delete a secondary email address of a user',
  can: 'admin',
  params: { ...userId, ...emailId },
  returns: noContent,
  run: ({ params, http, ...ctx }) =>
    removeIfUnmodified(ctx, userOf(ctx, params.id).id, params.email_id, http),
})

function removeIfUnmodified(
  ctx: Ctx,
  user: number,
  id: number,
  http: { unmodifiedSince(time: string): void },
): void {
  http.unmodifiedSince(getEmail(ctx, user, id).created_at)
  removeEmail(ctx, user, id)
}
