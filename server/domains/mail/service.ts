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
import { deliver, obstacleOf, outgoing, ownSender, problemSentence } from './service-sending.ts'
import * as store from './store.ts'
import { isAddress } from './validation.ts'

/** Lists recent mails. */
export function keptMails(ctx: Ctx, page: { limit: number; offset: number }): Rows<store.MailRow> {
  return store.list(ctx.db, page)
}

/** Sends a test mail at once. Throws `unprocessable` for an invalid address. */
export async function sendTestMail(ctx: Ctx, address?: string): Promise<{ is_ok: boolean; message: string }> {
  const to = address ?? userById(ctx.db, ctx.actor.id ?? 0)?.email ?? ''
  if (!isAddress(to)) throw fail('unprocessable', 'to is not a valid email address')
  const obstacle = obstacleOf(ctx)
  if (obstacle) return { is_ok: false, message: obstacle }
  const mail = {
    sender: null,
    recipients: [to],
    subject: 'A mail to check whether mails arrive',
    text: `This instance sends mails: ${ctx.config.url}\n`,
    html: null,
    headers: {},
    error: null,
    sent_at: null,
  }
  try {
    await deliver(ctx, outgoing(ctx, mail))
    return { is_ok: true, message: `The mail server accepted a message to ${to}.` }
  } catch (error) {
    return { is_ok: false, message: problemSentence(error) }
  }
}

/** A mail to queue. */
export interface Mail {
  /** Plain addresses. Every recipient sees the others. */
  readonly to: readonly string[]
  readonly subject: string
  readonly text: string
  /** The HTML part; ignored if the instance sends plain mails only. */
  readonly html?: string
  /** `Name <address>` or an address; the instance's own by default. */
  readonly from?: string
  /** The name of the author. It is shown with the instance's own address. */
  readonly author?: string
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Queues a mail, to be sent with retries after the transaction. A mail that cannot be sent is stored with the reason.
 * Returns the ID of its row; undefined without recipients.
 */
export function queueMail(ctx: Ctx, mail: Mail): number | undefined {
  if (mail.to.length === 0) return undefined
  return tx(ctx.db, () => {
    const id = store.insert(ctx.db, {
      sender: mail.from ?? authored(ctx, mail.author),
      recipients: [...mail.to],
      subject: mail.subject,
      text: mail.text,
      html: mail.html ?? null,
      headers: mail.headers ?? {},
      created_at: ctx.now,
    })
    enqueue(ctx, sendMail, { mail_id: id })
    publish(ctx, MailChanged, { mail_id: id })
    return id
  })
}

/** Returns the instance's own address with the author's name, unless the settings show authors in the text. */
function authored(ctx: Ctx, author: string | undefined): string | null {
  if (author === undefined || settingsOf(ctx).email_author_in_body) return null
  return quotedAddress(author, ownSender(ctx).address)
}

/** Formats a name and an address for a header. */
export function quotedAddress(name: string, address: string): string {
  return `"${name.replace(/["\\\r\n<>]/g, ' ').trim()}" <${address}>`
}
