import { refreshClosingIssues } from '../../../../merge_requests/index.ts'
import { projectOf, type Ground } from '../ground.ts'

/** See Landing.settle. */
export async function settleMergeRequests(ground: Ground): Promise<void> {
  const { ctx, projectId } = ground
  const sql =
    "SELECT id FROM merge_requests WHERE project_id = ? AND state = 'opened' AND id > ? ORDER BY id LIMIT 100"
  for (let after = 0; ;) {
    const rows = ctx.db.many<{ id: number }>(sql, projectId, after)
    for (const { id } of rows) await refreshClosingIssues(ctx, projectOf(ground), id)
    if (rows.length === 0) return
    after = rows.at(-1)!.id
  }
}
