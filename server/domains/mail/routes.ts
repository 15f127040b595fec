import { endpoint } from '../../http/endpoint.ts'
import { text } from '../../http/params.ts'
import { ok, page } from '../../http/returns.ts'
import { KeptMail, MailTest } from './entity.ts'
import { keptMails, sendTestMail } from './service.ts'

export const listMails = endpoint('GET /-/mails', {
  summary: 'List the mails of the last days, and how sending them went',
  can: 'admin',
  returns: page(KeptMail),
  run: (ctx) => keptMails(ctx, ctx.paging),
})

export const testMail = endpoint('POST /-/mails/test', {
  summary: 'Send a mail at once, to see whether the settings are right',
  can: 'admin',
  params: {
    to: text({ max: 255 }).optional().describe('Address; without it the one of the caller'),
  },
  fails: { 422: 'The address is none' },
  returns: ok(MailTest),
  run: (ctx) => sendTestMail(ctx, ctx.params.to),
})
