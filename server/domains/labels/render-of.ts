import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { renderLine } from './description.ts'

/** Labels that one transaction rewrites. */
const AT_ONCE = 200

/** Renders the descriptions of a project's labels that came without: those of an import. */
export async function renderLabelsOf(ctx: Ctx, projectId: number): Promise<void> {
  const sql = `SELECT id, description FROM labels WHERE project_id = ? AND id > ? AND description IS NOT NULL
    AND description_html IS NULL ORDER BY id LIMIT ${AT_ONCE}`
  for (let last = 0; ;) {
    const rows = ctx.db.many<{ id: number; description: string }>(sql, projectId, last)
    if (rows.length === 0) return
    last = rows.at(-1)!.id
    const html = await Promise.all(rows.map(({ description }) => renderLine(description)))
    tx(ctx.db, () => {
      // What somebody changed in the meantime is rendered already.
      const write = 'UPDATE labels SET description_html = ? WHERE id = ? AND description = ?'
      for (const [at, row] of rows.entries()) ctx.db.exec(write, html[at]!, row.id, row.description)
    })
  }
}
