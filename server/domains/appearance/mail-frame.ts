import type { Ctx } from '../../ctx.ts'
import * as store from './store.ts'

/** What stands above and below every mail (spec administration 2). */
export interface MailFrame {
  readonly header: { readonly text: string; readonly html: string }
  readonly footer: { readonly text: string; readonly html: string }
  readonly background: string
  readonly color: string
}

/** The messages around mails; null where the instance wants none. */
export function mailFrame(ctx: Pick<Ctx, 'db'>): MailFrame | null {
  const row = store.find(ctx.db)
  if (!row || !row.email_header_and_footer_enabled) return null
  if (row.header_message === '' && row.footer_message === '') return null
  return {
    header: { text: row.header_message, html: row.header_message_html },
    footer: { text: row.footer_message, html: row.footer_message_html },
    background: row.message_background_color,
    color: row.message_font_color,
  }
}
