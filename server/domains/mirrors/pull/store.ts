import type { Selectable } from 'kysely'

import type { Database } from '../../../db/database.ts'
import type { PullMirrorsTable } from '../../../db/schema.gen.ts'

export type PullMirrorRow = Selectable<PullMirrorsTable>

/** Returns the pull mirror of a project. */
export function find(db: Database, projectId: number): PullMirrorRow | undefined {
  return db.one<PullMirrorRow>('SELECT * FROM pull_mirrors WHERE project_id = ?', projectId)
}

/** Lists the projects with a due update, the longest overdue first. */
export function due(db: Database, now: string, limit: number): { project_id: number }[] {
  return db.many<{ project_id: number }>(
    `SELECT project_id FROM pull_mirrors WHERE next_update_at IS NOT NULL AND next_update_at <= ?
     AND update_status <> 'started' ORDER BY next_update_at LIMIT ?`,
    now,
    limit,
  )
}

/** Counts the running updates. */
export function countRunning(db: Database): number {
  const sql = "SELECT count(*) AS count FROM pull_mirrors WHERE update_status = 'started'"
  return db.one<{ count: number }>(sql)!.count
}

/** Lists the mirrors with a running update that started before `later`, or before `first` if it is the first update. */
export function stuck(db: Database, before: { first: string; later: string }): PullMirrorRow[] {
  return db.many<PullMirrorRow>(
    `SELECT * FROM pull_mirrors WHERE update_status = 'started' AND last_update_started_at < ?
     AND (last_update_at IS NOT NULL OR last_update_started_at < ?)`,
    before.later,
    before.first,
  )
}
