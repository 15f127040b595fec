import type { SMTPTransportOptions as Options } from 'nodemailer'
import { z } from 'zod'

import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { mailFrame, type MailFrame } from '../appearance/index.ts'
import { secretSetting, type Settings, settingsOf } from '../settings/index.ts'
import { MailChanged } from './events.ts'
import * as store from './store.ts'
import { cron, type CronLine, job, type Job } from '../../jobs/job.ts'
import { isoTime } from '../../lib/clock.ts'

/** Returns the reason why the instance currently sends no emails; undefined if it does. */
export function sendingObstacle(ctx: Pick<Ctx, 'db' | 'now'>): string | undefined {
  const settings = settingsOf(ctx)
  if (settings.silent_mode_enabled) return 'No mails are sent while silent mode is on.'
  return settings.smtp_enabled ? undefined : 'Sending mails is switched off.'
}

/**
 * Sends a queued email and records the result. Throws temporary errors (server unreachable or busy, 4xx), so that the
 * job retries.
 */
async function sendQueuedMail(ctx: Ctx, id: number): Promise<void> {
  const mail = store.byId(ctx.db, id)
  if (!mail || mail.sent_at) return
  const obstacle = sendingObstacle(ctx)
  if (obstacle) return recordResult(ctx, id, { error: obstacle })
  try {
    const rejected = await deliver(ctx, composeMessage(ctx, mail))
    const error = rejected.length > 0 ? `Refused by the mail server: ${rejected.join(', ')}` : null
    recordResult(ctx, id, { sent_at: ctx.now, error })
  } catch (error) {
    recordResult(ctx, id, { error: errorSentence(error) })
    if (isTemporary(error)) throw error
  }
}

function recordResult(ctx: Ctx, id: number, result: Parameters<typeof store.recordResult>[2]): void {
  tx(ctx.db, () => {
    store.recordResult(ctx.db, id, result)
    publish(ctx, MailChanged, { mail_id: id })
  })
}

/** Returns the message of an email. Its sender and its HTML part depend on the current settings. */
export function composeMessage(ctx: Ctx, mail: Omit<store.MailRow, 'id' | 'created_at'>): MailMessage {
  const settings = settingsOf(ctx)
  const html = mail.html !== null && settings.html_emails_enabled ? mail.html : undefined
  const bodies = withFrame(ctx, { text: mail.text, html })
  return {
    from: mail.sender ?? defaultSender(ctx),
    ...(settings.email_reply_to ? { replyTo: settings.email_reply_to } : {}),
    to: mail.recipients,
    subject: mail.subject,
    text: bodies.text,
    ...(bodies.html === undefined ? {} : { html: bodies.html }),
    headers: mail.headers,
  }
}

/** Returns the default sender of emails. */
export function defaultSender(ctx: Pick<Ctx, 'db' | 'now' | 'config'>): { name: string; address: string } {
  const settings = settingsOf(ctx)
  return {
    name: settings.email_display_name || 'Deskforge',
    address: settings.email_from || `noreply@${mailDomainOf(ctx.config.url)}`,
  }
}

/** Returns the domain of the default sender: the host of the instance, or `localhost` instead of an IP address. */
function mailDomainOf(url: string): string {
  const { hostname } = new URL(url)
  return /^[\d.]+$|^\[/.test(hostname) ? 'localhost' : hostname
}

/** Returns a sentence for an error of the mail server. */
export function errorSentence(error: unknown): string {
  const { code, message } = error as { code?: string; message: string }
  if (code === 'EAUTH') return `The mail server refused the user name or password: ${message}`
  if (code === 'ETLS') return `The connection to the mail server could not be encrypted: ${message}`
  if (code === 'EENVELOPE' || code === 'EMESSAGE') return `The mail server refused the mail: ${message}`
  return `The mail server could not be used: ${message}`
}

function isTemporary(error: unknown): boolean {
  const { code, responseCode = 0, name } = error as { code?: string; responseCode?: number; name: string }
  if (name === 'ForbiddenDestination' || code === 'EAUTH') return false
  return responseCode < 500
}

/** The text and the HTML of an email. `html` is undefined for a plain-text email. */
interface MailBodies {
  readonly text: string
  readonly html?: string | undefined
}

/**
 * Adds the header and footer of the appearance (spec administration 2) and the additional text in the settings (1.2).
 */
function withFrame(ctx: Pick<Ctx, 'db' | 'now'>, mail: MailBodies): MailBodies {
  const frame = mailFrame(ctx)
  const additionalText = settingsOf(ctx).email_additional_text?.trim() || undefined
  if (!frame && additionalText === undefined) return mail
  const header = frame?.header
  const footer = frame?.footer
  const text = [header?.text, mail.text.trimEnd(), additionalText, footer?.text].filter(Boolean).join('\n\n')
  if (mail.html === undefined) return { text: `${text}\n` }
  const sections = [
    bar(frame, header?.html),
    mail.html,
    additionalText &&
      `<p style="color:#666;font-size:12px">${escaped(additionalText).replaceAll('\n', '<br>')}</p>`,
    bar(frame, footer?.html),
  ]
  return { text: `${text}\n`, html: sections.filter(Boolean).join('\n') }
}

function bar(frame: MailFrame | null, html: string | undefined): string {
  if (!frame || !html) return ''
  // The settings validate the colors.
  return `<div style="background:${frame.background};color:${frame.color};padding:4px 12px;text-align:center">${html}</div>`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** An email in the format of the mail library. */
export interface MailMessage {
  readonly from: string | { name: string; address: string }
  readonly replyTo?: string
  readonly to: readonly string[]
  readonly subject: string
  readonly text: string
  readonly html?: string
  readonly headers: Readonly<Record<string, string>>
}

/** Time limits for the greeting of the mail server and for each response, in milliseconds. */
const GREETING_MS = 15000
const RESPONSE_MS = 60000

/**
 * Sends an email through the SMTP server in the settings. Returns the recipients that the server rejected. Rejects
 * with the error of the connection or with the server's response (`responseCode`) if the server rejects all
 * recipients.
 */
export async function deliver(ctx: Ctx, mail: MailMessage): Promise<string[]> {
  const settings = settingsOf(ctx)
  const address = settings.smtp_address ?? ''
  const [{ createTransport }, connection] = await Promise.all([
    // The library is loaded on first use, because most instances send no email.
    import('nodemailer'),
    ctx.outbound.connect(address, settings.smtp_port, { purpose: 'mail' }),
  ])
  try {
    const options: Options = {
      ...encryption(settings),
      ...credentials(ctx, settings),
      host: address,
      port: settings.smtp_port,
      connection,
      greetingTimeout: GREETING_MS,
      socketTimeout: RESPONSE_MS,
      // Texts and headers contain user input, which must not make the library read a file or URL.
      disableFileAccess: true,
      disableUrlAccess: true,
    }
    const { rejected } = await createTransport(options).sendMail({
      ...mail,
      to: mail.to.map((entry) => ({ name: '', address: entry })),
      headers: { 'Auto-Submitted': 'auto-generated', ...mail.headers },
    })
    return [...rejected]
  } finally {
    connection.destroy()
  }
}

function encryption(settings: Settings): Options {
  const { smtp_tls, smtp_verify_certificates: rejectUnauthorized } = settings
  const tls = { rejectUnauthorized }
  if (smtp_tls === 'tls') return { secure: true, tls }
  return smtp_tls === 'starttls' ? { requireTLS: true, tls } : { ignoreTLS: true }
}

function credentials(ctx: Ctx, settings: Settings): Options {
  const { smtp_user_name: user, smtp_authentication: method } = settings
  if (!user || method === 'none') return {}
  return {
    authMethod: method.toUpperCase().replace('_', '-'),
    auth: { user, pass: secretSetting(ctx, 'smtp_password') ?? '' },
  }
}

const RETENTION_DAYS = 2

/** Sends a queued email. */
export const sendMail = job(
  'mail.send',
  { args: { mail_id: z.number() }, retries: 6, lane: 'outside' },
  (ctx, { mail_id }) => sendQueuedMail(ctx, mail_id),
)

export const jobs: Job[] = [sendMail as Job]

/** Deletes emails after a few days, because they are personal data. */
const removeOldMails = cron('mail.remove_old', '35 3 * * *', (ctx) =>
  store.removeOlder(ctx.db, isoTime(Date.parse(ctx.now) - RETENTION_DAYS * 86_400_000)),
)

export const crons: CronLine[] = [removeOldMails]
