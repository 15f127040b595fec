import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { renderLine } from './description.ts'

/** Number of labels that one query reads. */
const AT_ONCE = 200

/** Longer descriptions are not rendered, since rendering blocks other requests. */
const LONGEST = 8192

/** Most characters of descriptions that one transaction rewrites. A single label may have more. */
const MOST_TEXT = 64 * 1024

/** Renders the descriptions of a project's labels that were stored without HTML, as imports do. */
export async function renderLabelsOf(ctx: Ctx, projectId: number): Promise<void> {
  const sql = `SELECT id, length(description) AS size FROM labels WHERE project_id = ? AND id > ? AND description IS NOT NULL
    AND description_html IS NULL AND length(description) <= ${LONGEST} ORDER BY id LIMIT ${AT_ONCE}`
  for (let last = 0; ;) {
    const found = ctx.db.many<{ id: number; size: number }>(sql, projectId, last)
    if (found.length === 0) return
    let sum = 0
    const some = found.filter(({ size }, at) => (sum += size) <= MOST_TEXT || at === 0)
    last = some.at(-1)!.id
    await render(
      ctx,
      some.map(({ id }) => id),
    )
  }
}

async function render(ctx: Ctx, ids: readonly number[]): Promise<void> {
  const rows = ctx.db.many<{ id: number; description: string }>(
    'SELECT id, description FROM labels WHERE id IN (SELECT value FROM json_each(?)) AND description IS NOT NULL ORDER BY id',
    JSON.stringify(ids),
  )
  const html = await Promise.all(rows.map(({ description }) => renderLine(description)))
  tx(ctx.db, () => {
    // A description that changed in the meantime has its HTML already.
    const write = 'UPDATE labels SET description_html = ? WHERE id = ? AND description = ?'
    for (const [at, row] of rows.entries()) ctx.db.exec(write, html[at]!, row.id, row.description)
  })
}
