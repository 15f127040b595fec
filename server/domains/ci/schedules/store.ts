import type { Selectable } from 'kysely'

import type { Ctx } from '../../../ctx.ts'
import { q, type Database } from '../../../db/database.ts'
import { boundedCount } from '../../../db/lists.ts'
import type { Rows } from '../../../db/rows.ts'
import type { CiSchedulesTable, CiScheduleVariablesTable } from '../../../db/schema.gen.ts'
import { table } from '../../../db/table.ts'
import type { PipelineRow } from '../pipelines/store.ts'

/** A variable of a schedule with its encrypted value. */
export type ScheduleVariableRow = Selectable<CiScheduleVariablesTable>
/** A variable of a schedule with its plain value. */
export type OpenScheduleVariable = ScheduleVariableRow

const PURPOSE = 'ci_schedule_variables.value'

/** Encrypts a value for storage. */
export function sealValue({ secrets }: Pick<Ctx, 'secrets'>, value: string): string {
  return secrets.seal(value, PURPOSE)
}

/** Decrypts the value of a variable. Throws if the secret key of the instance has changed. */
export function openVariable(
  { secrets }: Pick<Ctx, 'secrets'>,
  row: ScheduleVariableRow,
): OpenScheduleVariable {
  return { ...row, value: secrets.open(row.value, PURPOSE).toString() }
}

/** All variables of a schedule with their plain values, sorted by name. */
export function openVariablesOf(
  ctx: Pick<Ctx, 'db' | 'secrets'>,
  scheduleId: number,
): OpenScheduleVariable[] {
  return ctx.db
    .many<ScheduleVariableRow>(
      'SELECT * FROM ci_schedule_variables WHERE schedule_id = ? ORDER BY key',
      scheduleId,
    )
    .map((row) => openVariable(ctx, row))
}

export function byKey(db: Database, scheduleId: number, key: string): ScheduleVariableRow | undefined {
  return db.get(withKey(scheduleId, key))
}

function withKey(scheduleId: number, key: string) {
  return q
    .selectFrom('ci_schedule_variables')
    .selectAll()
    .where('schedule_id', '=', scheduleId)
    .where('key', '=', key)
}

/** The number of variables of a schedule. */
export function countVariables(db: Database, scheduleId: number): number {
  return db.one<{ count: number }>(
    'SELECT count(*) AS count FROM ci_schedule_variables WHERE schedule_id = ?',
    scheduleId,
  )!.count
}

/** Stores a variable, and replaces the one with the same key. */
export function put(db: Database, row: ScheduleVariableRow): void {
  db.run(q.replaceInto('ci_schedule_variables').values(row))
}

export function removeVariable(db: Database, { schedule_id, key }: ScheduleVariableRow): void {
  db.exec('DELETE FROM ci_schedule_variables WHERE schedule_id = ? AND key = ?', schedule_id, key)
}

/** A schedule as stored. */
export type ScheduleRow = Selectable<CiSchedulesTable>

/** A page of a project's schedules, oldest first. */
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

/** The number of schedules of a project. */
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

/** Whether a schedule started a pipeline at or after the given time. */
export function hasRunSince(db: Database, scheduleId: number, time: string): boolean {
  const last = lastPipeline(db, scheduleId)
  return last !== undefined && last.created_at >= time
}
