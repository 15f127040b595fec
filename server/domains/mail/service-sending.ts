import type { SMTPTransportOptions as Options } from 'nodemailer'

import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { mailFrame, type MailFrame } from '../appearance/index.ts'
import { secretSetting, type Settings, settingsOf } from '../settings/index.ts'
import { MailChanged } from './events.ts'
import * as store from './store.ts'

/** Returns why the instance sends no mails at the moment. Undefined if it does. */
export function obstacleOf(ctx: Pick<Ctx, 'db' | 'now'>): string | undefined {
  const settings = settingsOf(ctx)
  if (settings.silent_mode_enabled) return 'No mails are sent while silent mode is on.'
  return settings.smtp_enabled ? undefined : 'Sending mails is switched off.'
}

/**
 * Sends a stored mail and records the result. Throws temporary errors (server unreachable or busy, 4xx), so that the
 * job retries.
 */
export async function sendStored(ctx: Ctx, id: number): Promise<void> {
  const mail = store.byId(ctx.db, id)
  if (!mail || mail.sent_at) return
  const obstacle = obstacleOf(ctx)
  if (obstacle) return end(ctx, id, { error: obstacle })
  try {
    const refused = await deliver(ctx, outgoing(ctx, mail))
    const error = refused.length > 0 ? `Refused by the mail server: ${refused.join(', ')}` : null
    end(ctx, id, { sent_at: ctx.now, error })
  } catch (error) {
    end(ctx, id, { error: problemSentence(error) })
    if (mayPass(error)) throw error
  }
}

function end(ctx: Ctx, id: number, result: Parameters<typeof store.end>[2]): void {
  tx(ctx.db, () => {
    store.end(ctx.db, id, result)
    publish(ctx, MailChanged, { mail_id: id })
  })
}

/** A mail as it is sent. The sender and the HTML part depend on the current settings. */
export function outgoing(ctx: Ctx, mail: Omit<store.MailRow, 'id' | 'created_at'>): Outgoing {
  const settings = settingsOf(ctx)
  const html = mail.html !== null && settings.html_emails_enabled ? mail.html : undefined
  const bodies = framed(ctx, { text: mail.text, html })
  return {
    from: mail.sender ?? ownSender(ctx),
    ...(settings.email_reply_to ? { replyTo: settings.email_reply_to } : {}),
    to: mail.recipients,
    subject: mail.subject,
    text: bodies.text,
    ...(bodies.html === undefined ? {} : { html: bodies.html }),
    headers: mail.headers,
  }
}

/** The default sender. */
export function ownSender(ctx: Pick<Ctx, 'db' | 'now' | 'config'>): { name: string; address: string } {
  const settings = settingsOf(ctx)
  return {
    name: settings.email_display_name || 'Deskforge',
    address: settings.email_from || `noreply@${hostOf(ctx.config.url)}`,
  }
}

/** Mail addresses cannot have an IP address as their domain. */
function hostOf(url: string): string {
  const { hostname } = new URL(url)
  return /^[\d.]+$|^\[/.test(hostname) ? 'localhost' : hostname
}

/** Makes a sentence for an error. */
export function problemSentence(error: unknown): string {
  const { code, message } = error as { code?: string; message: string }
  if (code === 'EAUTH') return `The mail server refused the user name or password: ${message}`
  if (code === 'ETLS') return `The connection to the mail server could not be encrypted: ${message}`
  if (code === 'EENVELOPE' || code === 'EMESSAGE') return `The mail server refused the mail: ${message}`
  return `The mail server could not be used: ${message}`
}

function mayPass(error: unknown): boolean {
  const { code, responseCode = 0, name } = error as { code?: string; responseCode?: number; name: string }
  if (name === 'ForbiddenDestination' || code === 'EAUTH') return false
  return responseCode < 500
}

/** The text and HTML of a mail. `html` is undefined for plain mails. */
interface Bodies {
  readonly text: string
  readonly html?: string | undefined
}

/**
 * Adds the header and footer of the appearance (spec administration 2) and the additional text of the settings (1.2).
 */
function framed(ctx: Pick<Ctx, 'db' | 'now'>, mail: Bodies): Bodies {
  const frame = mailFrame(ctx)
  const more = settingsOf(ctx).email_additional_text?.trim() || undefined
  if (!frame && more === undefined) return mail
  const header = frame?.header
  const footer = frame?.footer
  const text = [header?.text, mail.text.trimEnd(), more, footer?.text].filter(Boolean).join('\n\n')
  if (mail.html === undefined) return { text: `${text}\n` }
  const parts = [
    bar(frame, header?.html),
    mail.html,
    more && `<p style="color:#666;font-size:12px">${escaped(more).replaceAll('\n', '<br>')}</p>`,
    bar(frame, footer?.html),
  ]
  return { text: `${text}\n`, html: parts.filter(Boolean).join('\n') }
}

function bar(frame: MailFrame | null, html: string | undefined): string {
  if (!frame || !html) return ''
  // The settings validate the colors.
  return `<div style="background:${frame.background};color:${frame.color};padding:4px 12px;text-align:center">${html}</div>`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Makes the mail in the format of the mail client. */
export interface Outgoing {
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
const SILENCE_MS = 60000

/**
 * Sends a mail to the mail server of the settings. Returns the recipients that the server refused. Rejects if it
 * refused all, with the connection's error or the server's response (`responseCode`).
 */
export async function deliver(ctx: Ctx, mail: Outgoing): Promise<string[]> {
  const settings = settingsOf(ctx)
  const address = settings.smtp_address ?? ''
  const [{ createTransport }, connection] = await Promise.all([
    // Loaded on first use: most instances never send a mail.
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
      socketTimeout: SILENCE_MS,
      // Texts and headers contain user input. It must not name a file or URL to read.
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
