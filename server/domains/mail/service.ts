import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import type { Rows } from '../../db/rows.ts'
import { publish } from '../../events/publish.ts'
import { enqueue } from '../../jobs/job.ts'
import { fail } from '../../lib/fail.ts'
import { settingsOf } from '../settings/index.ts'
import { userById } from '../users/index.ts'
import { MailChanged } from './events.ts'
import { sendMail } from './jobs.ts'
import { deliver, obstacleOf, outgoing, ownSender, sayProblem } from './service-sending.ts'
import * as store from './store.ts'
import { isAddress } from './validation.ts'

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

/** A mail as whoever writes it gives it. */
export interface Mail {
  /** Plain addresses. All of them see each other. */
  readonly to: readonly string[]
  readonly subject: string
  readonly text: string
  /** The same with formatting; left out where the instance sends plain mails. */
  readonly html?: string
  /** `Name <address>` or an address; without it the instance's own. */
  readonly from?: string
  /** Who wrote it, where it comes from the instance's own address: the name that stands before that. */
  readonly author?: string
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Sends a mail later, with retries, once the transaction is through. Where mails are switched off it is kept for a look
 * all the same, with the reason. Returns the id of its row; undefined for a mail to nobody.
 */
export function queueMail(ctx: Ctx, mail: Mail): number | undefined {
  if (mail.to.length === 0) return undefined
  return tx(ctx.db, () => {
    const id = store.insert(ctx.db, {
      sender: mail.from ?? authored(ctx, mail.author),
      recipients: JSON.stringify(mail.to),
      subject: mail.subject,
      text: mail.text,
      html: mail.html ?? null,
      headers: JSON.stringify(mail.headers ?? {}),
      created_at: ctx.now,
    })
    enqueue(ctx, sendMail, { mail_id: id })
    publish(ctx, MailChanged, { mail_id: id })
    return id
  })
}

/** The instance's own address with the name of an author; not where the text is to name authors instead. */
function authored(ctx: Ctx, author: string | undefined): string | null {
  if (author === undefined || settingsOf(ctx).email_author_in_body) return null
  return quotedAddress(author, ownSender(ctx).address)
}

/** A name and an address as headers have them. */
export function quotedAddress(name: string, address: string): string {
  return `"${name.replace(/["\\\r\n<>]/g, ' ').trim()}" <${address}>`
}
