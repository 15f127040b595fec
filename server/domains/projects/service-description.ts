import type { Ctx } from '../../ctx.ts'
import * as store from './store.ts'

/** Texts of letters, digits and punctuation that have no meaning in Markdown or HTML. */
const PLAIN_TEXT = /^(?:[\p{L}\p{N}](?:[\p{L}\p{N} ,;()'’%?-]|[.:!](?= |$))*)?$/u

/** Plain characters that have a meaning in combination: list items, links, line breaks, dashes, signs. */
const MARKUP = /^\d+[.)] |www\.| {2,}|--|\(c\)/i

const isPlain = (text: string): boolean => PLAIN_TEXT.test(text) && !MARKUP.test(text)

/**
 * Returns the HTML of a description for its column; null for plain text, which `shownDescription` converts. The
 * renderer is loaded on first use.
 */
export async function renderDescription(text: string | null): Promise<string | null> {
  if (text === null || isPlain(text)) return null
  const { renderMarkdown } = await import('../../lib/markdown.ts')
  return renderMarkdown(text).trimEnd()
}

const ROWS_PER_TRANSACTION = 200

/**
 * Renders the stored HTML of a table's descriptions again, a few rows at a time (spec administration 1.2,
 * `local_markdown_version`).
 */
export async function rerenderDescriptions(
  ctx: Ctx,
  table: store.DescribedTable,
  render: (text: string | null) => Promise<string | null> = renderDescription,
): Promise<void> {
  let lastId = 0
  for (;;) {
    const rows = store.describedAfter(ctx.db, table, { id: lastId, limit: ROWS_PER_TRANSACTION })
    if (rows.length === 0) return
    lastId = rows.at(-1)!.id
    const html = await Promise.all(rows.map(({ description }) => render(description)))
    ctx.db.transaction(() => {
      for (const [index, row] of rows.entries())
        store.setDescriptionHtml(ctx.db, table, { ...row, html: html[index]! })
    })
  }
}
