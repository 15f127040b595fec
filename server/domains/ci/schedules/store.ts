import type { Selectable } from 'kysely'

import { q, type Database } from '../../../db/database.ts'
import { boundedCount } from '../../../db/lists.ts'
import type { Rows } from '../../../db/rows.ts'
import type { CiSchedulesTable } from '../../../db/schema.gen.ts'
import { table } from '../../../db/table.ts'
import type { PipelineRow } from '../pipelines/store.ts'

/** A schedule as stored. */
export type ScheduleRow = Selectable<CiSchedulesTable>

/** One page of a project's schedules, oldest first. */
export function list(
  db: Database,
  projectId: number,
  active: boolean | undefined,
  paging: { limit: number; offset: number },
): Rows<ScheduleRow> {
  const all = q.selectFrom('ci_schedules').where('project_id', '=', projectId)
  const query = active === undefined ? all : all.where('active', '=', active)
  const rows = db.all(query.selectAll().orderBy('id').limit(paging.limit).offset(paging.offset))
  return { rows, total: boundedCount(db, query.select('id')) }
}

export const { byId, insert, update, remove } = table('ci_schedules')

/** Number of schedules of a project. */
export function count(db: Database, projectId: number): number {
  return db.one<{ count: number }>(
    'SELECT count(*) AS count FROM ci_schedules WHERE project_id = ?',
    projectId,
  )!.count
}

/** Active schedules that are due, the longest overdue first. */
export function due(db: Database, now: string, limit: number): ScheduleRow[] {
  return db.many<ScheduleRow>(
    'SELECT * FROM ci_schedules WHERE active = 1 AND next_run_at <= ? ORDER BY next_run_at LIMIT ?',
    now,
    limit,
  )
}

/** The newest pipeline that a schedule started. */
export function lastPipeline(db: Database, scheduleId: number): PipelineRow | undefined {
  const sql = 'SELECT * FROM ci_pipelines WHERE schedule_id = ? ORDER BY id DESC LIMIT 1'
  return db.one<PipelineRow>(sql, scheduleId)
}

/** True if a schedule started a pipeline at a moment or later. */
export function hasRunSince(db: Database, scheduleId: number, moment: string): boolean {
  const last = lastPipeline(db, scheduleId)
  return last !== undefined && last.created_at >= moment
}
