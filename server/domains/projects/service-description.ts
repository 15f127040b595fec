import type { Ctx } from '../../ctx.ts'
import * as store from './store.ts'

/** Letters, digits and simple punctuation without a meaning in Markdown or HTML. */
const PLAIN = /^(?:[\p{L}\p{N}](?:[\p{L}\p{N} ,;()'’%?-]|[.:!](?= |$))*)?$/u

/** Starts a list, or an address that becomes a link. */
const SPECIAL = /^\d+[.)] |www\.| {2,}|--|\(c\)/i

const isPlain = (text: string): boolean => PLAIN.test(text) && !SPECIAL.test(text)

/**
 * Returns a description as HTML for its column; null if `shownDescription` derives it from the text. The renderer is
 * loaded on first use.
 */
export async function renderDescription(text: string | null): Promise<string | null> {
  if (text === null || isPlain(text)) return null
  const { renderMarkdown } = await import('../../lib/markdown.ts')
  return renderMarkdown(text).trimEnd()
}

/** The number of rows in one transaction. */
const AT_ONCE = 200

/**
 * Renders the stored HTML of a table's descriptions again, a few rows at a time (spec administration 1.2,
 * `local_markdown_version`).
 */
export async function renderAnew(
  ctx: Ctx,
  table: store.DescribedTable,
  render: (text: string | null) => Promise<string | null> = renderDescription,
): Promise<void> {
  let last = 0
  for (;;) {
    const rows = store.describedAfter(ctx.db, table, { id: last, limit: AT_ONCE })
    if (rows.length === 0) return
    last = rows.at(-1)!.id
    const html = await Promise.all(rows.map(({ description }) => render(description)))
    ctx.db.transaction(() => {
      for (const [at, row] of rows.entries())
        store.setDescriptionHtml(ctx.db, table, { ...row, html: html[at]! })
    })
  }
}
