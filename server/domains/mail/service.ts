import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import type { Rows } from '../../db/rows.ts'
import { publish } from '../../events/publish.ts'
import { enqueue } from '../../jobs/job.ts'
import { fail } from '../../lib/fail.ts'
import { settingsOf } from '../settings/index.ts'
import { userById } from '../users/index.ts'
import { MailChanged } from './events.ts'
import {
  deliver,
  sendingObstacle,
  composeMessage,
  defaultSender,
  errorSentence,
  sendMail,
} from './service-sending.ts'
import * as store from './store.ts'

/** Returns true for a single email address without a name, which is safe in headers. */
export function isAddress(text: string): boolean {
  return text.length <= 254 && /^[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()[\]\\]+$/.test(text)
}

/**
 * Returns the valid addresses in a text that separates them by spaces, commas, semicolons or line breaks, without
 * duplicates.
 */
export function addressesIn(list: string): string[] {
  return [...new Set(list.split(/[\s,;]+/).filter(isAddress))]
}

/** Returns one page of recent emails. */
export function recentMails(ctx: Ctx, page: { limit: number; offset: number }): Rows<store.MailRow> {
  return store.list(ctx.db, page)
}

/** Sends a test email without the queue. Throws 422 for an invalid address. */
export async function sendTestMail(ctx: Ctx, address?: string): Promise<{ is_ok: boolean; message: string }> {
  const to = address ?? userById(ctx.db, ctx.actor.id ?? 0)?.email ?? ''
  if (!isAddress(to)) throw fail('unprocessable', 'to is not a valid email address')
  const obstacle = sendingObstacle(ctx)
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
    await deliver(ctx, composeMessage(ctx, mail))
    return { is_ok: true, message: `The mail server accepted a message to ${to}.` }
  } catch (error) {
    return { is_ok: false, message: errorSentence(error) }
  }
}

/** An email to queue. */
export interface Mail {
  /** The addresses of the recipients, without names. Every recipient sees the others. */
  readonly to: readonly string[]
  readonly subject: string
  readonly text: string
  /** The HTML part. It is ignored if the instance sends only plain text. */
  readonly html?: string
  /** The sender: `Name <address>` or an address. Defaults to that of the instance. */
  readonly from?: string
  /** The name of the author, which the sender shows with the address of the instance. */
  readonly author?: string
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Queues an email. A job sends it after the transaction, with retries. An email that cannot be sent is stored with
 * the reason. Returns the id of its row; undefined without recipients.
 */
export function queueMail(ctx: Ctx, mail: Mail): number | undefined {
  if (mail.to.length === 0) return undefined
  return tx(ctx.db, () => {
    const id = store.insert(ctx.db, {
      sender: mail.from ?? authorSender(ctx, mail.author),
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

/**
 * Returns the address of the instance with the author's name; null without an author, or if the settings show authors
 * in the text.
 */
function authorSender(ctx: Ctx, author: string | undefined): string | null {
  if (author === undefined || settingsOf(ctx).email_author_in_body) return null
  return quotedAddress(author, defaultSender(ctx).address)
}

/** Formats a name and an address for a header. */
export function quotedAddress(name: string, address: string): string {
  return `"${name.replace(/["\\\r\n<>]/g, ' ').trim()}" <${address}>`
}
