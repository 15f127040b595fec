import { refreshClosingIssues } from '../../../../merge_requests/index.ts'
import { projectOf, type ImportTarget } from '../target.ts'

/** See Landing.settle. */
export async function settleMergeRequests(target: ImportTarget): Promise<void> {
  const { ctx, projectId } = target
  const sql =
    "SELECT id FROM merge_requests WHERE project_id = ? AND state = 'opened' AND id > ? ORDER BY id LIMIT 100"
  for (let after = 0; ;) {
    const rows = ctx.db.many<{ id: number }>(sql, projectId, after)
    for (const { id } of rows) await refreshClosingIssues(ctx, projectOf(target), id)
    if (rows.length === 0) return
    after = rows.at(-1)!.id
  }
}
