import type { Ctx } from '../../ctx.ts'
import type { Rows } from '../../db/rows.ts'
import { fail } from '../../lib/fail.ts'
import { userById } from '../users/index.ts'
import { isAddress } from './addresses.ts'
import { obstacleOf, outgoing, sayProblem } from './sending.ts'
import { deliver } from './smtp.ts'
import * as store from './store.ts'

/** The mails of the last days. */
export function keptMails(ctx: Ctx, page: { limit: number; offset: number }): Rows<store.MailRow> {
  return store.list(ctx.db, page)
}

/** Sends a mail at once and says how that went. Throws `unprocessable` for what is no address. */
export async function sendTestMail(ctx: Ctx, given?: string): Promise<{ is_ok: boolean; message: string }> {
  const to = given ?? userById(ctx.db, ctx.actor.id ?? 0)?.email ?? ''
  if (!isAddress(to)) throw fail('unprocessable', 'to is not a valid e-mail address')
  const obstacle = obstacleOf(ctx)
  if (obstacle) return { is_ok: false, message: obstacle }
  const mail = {
    sender: null,
    recipients: JSON.stringify([to]),
    subject: 'A mail to see whether mails arrive',
    text: `This instance sends mails: ${ctx.config.url}\n`,
    html: null,
    headers: '{}',
    error: null,
    sent_at: null,
  }
  try {
    await deliver(ctx, outgoing(ctx, mail))
    return { is_ok: true, message: `The mail server took a mail to ${to}.` }
  } catch (error) {
    return { is_ok: false, message: sayProblem(error) }
  }
}
