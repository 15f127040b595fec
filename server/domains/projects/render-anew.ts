import type { Ctx } from '../../ctx.ts'
import { renderDescription } from './description.ts'

/** Rows that one transaction rewrites. */
const AT_ONCE = 200

/**
 * Renders the descriptions of a table anew that are kept as HTML, a few rows at a time (spec administration 1.2,
 * `local_markdown_version`).
 */
export async function renderAnew(
  ctx: Ctx,
  table: 'projects' | 'labels',
  render: (text: string | null) => Promise<string | null> = renderDescription,
): Promise<void> {
  const sql = `SELECT id, description FROM ${table} WHERE id > ? AND description IS NOT NULL ORDER BY id LIMIT ${AT_ONCE}`
  let last = 0
  for (;;) {
    const rows = ctx.db.many<{ id: number; description: string }>(sql, last)
    if (rows.length === 0) return
    last = rows.at(-1)!.id
    const html = await Promise.all(rows.map(({ description }) => render(description)))
    ctx.db.transaction(() => {
      // What somebody changed in the meantime is rendered already.
      const write = `UPDATE ${table} SET description_html = ? WHERE id = ? AND description = ?`
      for (const [at, row] of rows.entries()) ctx.db.exec(write, html[at]!, row.id, row.description)
    })
  }
}
