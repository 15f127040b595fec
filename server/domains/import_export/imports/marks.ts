import type { Ctx } from '../../../ctx.ts'
import type { Database } from '../../../db/database.ts'

/**
 * What became of something of a source: the row that it is here, null where nothing came of it, undefined where it was not
 * taken over yet.
 */
export function marked(
  db: Database,
  projectId: number,
  kind: string,
  key: string | number,
): number | null | undefined {
  const sql = 'SELECT target_id FROM import_marks WHERE project_id = ? AND kind = ? AND source_key = ?'
  return db.one<{ target_id: number | null }>(sql, projectId, kind, String(key))?.target_id
}

/** Notes what became of something of a source, in the transaction that makes it. */
export function mark(
  ctx: Pick<Ctx, 'db'>,
  projectId: number,
  kind: string,
  key: string | number,
  targetId: number | null,
): void {
  ctx.db.exec(
    `INSERT INTO import_marks (project_id, kind, source_key, target_id) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET target_id = excluded.target_id`,
    projectId,
    kind,
    String(key),
    targetId,
  )
}
