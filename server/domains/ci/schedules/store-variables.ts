import type { Selectable } from 'kysely'

import type { Ctx } from '../../../ctx.ts'
import { q, type Database } from '../../../db/database.ts'
import type { CiScheduleVariablesTable } from '../../../db/schema.gen.ts'

/** A variable of a schedule; its value is sealed. */
export type ScheduleVariableRow = Selectable<CiScheduleVariablesTable>
/** A variable with its plain value. */
export type OpenScheduleVariable = ScheduleVariableRow

const PURPOSE = 'ci_schedule_variables.value'

/** The form in which a value is stored. */
export function sealed({ secrets }: Pick<Ctx, 'secrets'>, value: string): string {
  return secrets.seal(value, PURPOSE)
}

/** A variable with its plain value. Throws if the key of the instance is not the key that sealed it. */
export function opened({ secrets }: Pick<Ctx, 'secrets'>, row: ScheduleVariableRow): OpenScheduleVariable {
  return { ...row, value: secrets.open(row.value, PURPOSE).toString() }
}

/** All variables of a schedule, by name. */
export function openVariablesOf(
  ctx: Pick<Ctx, 'db' | 'secrets'>,
  scheduleId: number,
): OpenScheduleVariable[] {
  return ctx.db
    .many<ScheduleVariableRow>(
      'SELECT * FROM ci_schedule_variables WHERE schedule_id = ? ORDER BY key',
      scheduleId,
    )
    .map((row) => opened(ctx, row))
}

export function byKey(db: Database, scheduleId: number, key: string): ScheduleVariableRow | undefined {
  return db.get(named(scheduleId, key))
}

function named(scheduleId: number, key: string) {
  return q
    .selectFrom('ci_schedule_variables')
    .selectAll()
    .where('schedule_id', '=', scheduleId)
    .where('key', '=', key)
}

/** Number of variables of a schedule. */
export function count(db: Database, scheduleId: number): number {
  return db.one<{ count: number }>(
    'SELECT count(*) AS count FROM ci_schedule_variables WHERE schedule_id = ?',
    scheduleId,
  )!.count
}

/** Writes a variable; replaces the one with the same key. */
export function put(db: Database, row: ScheduleVariableRow): void {
  db.run(q.replaceInto('ci_schedule_variables').values(row))
}

export function remove(db: Database, { schedule_id, key }: ScheduleVariableRow): void {
  db.exec('DELETE FROM ci_schedule_variables WHERE schedule_id = ? AND key = ?', schedule_id, key)
}
