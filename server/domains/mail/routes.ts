import { endpoint } from '../../http/endpoint.ts'
import { text } from '../../http/params.ts'
import { ok, page } from '../../http/returns.ts'
import { KeptMail, MailTest } from './entity.ts'
import { keptMails, sendTestMail } from './service.ts'

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
