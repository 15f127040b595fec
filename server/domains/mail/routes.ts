import { z } from 'zod'

import { endpoint } from '../../http/endpoint.ts'
import { entity, time, row } from '../../http/entity.ts'
import { text } from '../../http/params.ts'
import { ok, page } from '../../http/returns.ts'
import { recentMails, sendTestMail } from './service.ts'
import type { MailRow } from './store.ts'

/** A sent or queued email, for administrators. Its text is private and not included. */
const StoredMail = entity(
  'KeptMail',
  {
    id: z.int(),
    recipients: z.array(z.string()),
    subject: z.string(),
    created_at: time(),
    sent_at: time().nullable(),
    /** The reason why the email was not sent, or not to all recipients. */
    error: z.string().nullable(),
  },
  row<MailRow>(),
)

/** The result of a test email, with a sentence for the user. */
const MailTest = entity(
  'MailTest',
  { is_ok: z.boolean(), message: z.string() },
  (row: { is_ok: boolean; message: string }) => row,
)

export const listMails = endpoint('GET /-/mails', {
  summary: 'List recent emails',
  can: 'admin',
  returns: page(StoredMail),
  run: (ctx) => recentMails(ctx, ctx.paging),
})

export const testMail = endpoint('POST /-/mails/test', {
  summary: 'Send a test email',
  can: 'admin',
  params: {
    to: text({ max: 255 })
      .optional()
      .describe('The email address of the recipient. Defaults to the address of the current user'),
  },
  fails: { 422: 'The address is not valid' },
  returns: ok(MailTest),
  run: (ctx) => sendTestMail(ctx, ctx.params.to),
})
