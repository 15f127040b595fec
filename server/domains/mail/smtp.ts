import type { Options } from 'nodemailer/lib/smtp-transport'

import type { Ctx } from '../../ctx.ts'
import { secretSetting, settingsOf, type Settings } from '../settings/index.ts'

/** A mail as it goes out. */
export interface Outgoing {
  readonly from: string | { name: string; address: string }
  readonly replyTo?: string
  readonly to: readonly string[]
  readonly subject: string
  readonly text: string
  readonly html?: string
  readonly headers: Readonly<Record<string, string>>
}

/** How long a mail server may take for its first word, and between two words, milliseconds. */
const GREETING_MS = 15_000
const SILENCE_MS = 60_000

/**
 * Hands a mail to the mail server of the settings. Returns those recipients that the server would not take; rejects when
 * it took none, with the error of the connection or the server's answer (`responseCode`).
 */
export async function deliver(ctx: Ctx, mail: Outgoing): Promise<string[]> {
  const settings = settingsOf(ctx)
  const address = settings.smtp_address ?? ''
  const [{ createTransport }, connection] = await Promise.all([
    // Loaded when first needed: most instances never send a mail.
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
      // Texts and headers say what others wrote; nothing in them may name a file or an address to read.
      disableFileAccess: true,
      disableUrlAccess: true,
    }
    const { rejected } = await createTransport(options).sendMail({
      ...mail,
      to: mail.to.map((one) => ({ name: '', address: one })),
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
