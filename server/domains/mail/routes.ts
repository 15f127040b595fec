import { z } from 'zod'

import { endpoint } from '../../http/endpoint.ts'
import { entity, time, row } from '../../http/entity.ts'
import { text } from '../../http/params.ts'
import { ok, page } from '../../http/returns.ts'
import { keptMails, sendTestMail } from './service.ts'
import type { MailRow } from './store.ts'

/** A sent or waiting mail, for administrators. Its text is private and not included. */
const KeptMail = entity(
  'KeptMail',
  {
    id: z.int(),
    recipients: z.array(z.string()),
    subject: z.string(),
    created_at: time(),
    sent_at: time().nullable(),
    /** Why the mail was not sent, or not to all recipients. */
    error: z.string().nullable(),
  },
  row<MailRow>(),
)

/** The result of an attempt, with a sentence about it. */
const MailTest = entity(
  'MailTest',
  { is_ok: z.boolean(), message: z.string() },
  (row: { is_ok: boolean; message: string }) => row,
)

export const listMails = endpoint('GET /-/mails', {
  summary: 'List recent emails',
  can: 'admin',
  returns: page(KeptMail),
  run: (ctx) => keptMails(ctx, ctx.paging),
})

export const testMail = endpoint('POST /-/mails/test', {
  summary: 'Send a test email',
  can: 'admin',
  params: {
    to: text({ max: 255 })
      .optional()
      .describe('The address to send to. Default is the address of the caller'),
  },
  fails: { 422: 'The address is not valid' },
  returns: ok(MailTest),
  run: (ctx) => sendTestMail(ctx, ctx.params.to),
})
