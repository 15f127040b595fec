import type { Ctx } from '../../ctx.ts'
import { mailFrame, type MailFrame } from '../appearance/index.ts'
import { settingsOf } from '../settings/index.ts'

/** A mail's two forms; `html` is undefined for one that has only words. */
export interface Bodies {
  readonly text: string
  readonly html?: string | undefined
}

/**
 * A mail with what the instance puts around all of them: the bars of the appearance, where mails carry them (spec
 * administration 2), and the additional text of the settings (1.2).
 */
export function framed(ctx: Pick<Ctx, 'db' | 'now'>, mail: Bodies): Bodies {
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
  // The colors are checked when they are set.
  return `<div style="background:${frame.background};color:${frame.color};padding:4px 12px;text-align:center">${html}</div>`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
