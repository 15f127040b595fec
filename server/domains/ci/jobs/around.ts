import type { Selectable } from 'kysely'

import { jsonList, type Database } from '../../../db/database.ts'
import type { RunnersTable } from '../../../db/schema.gen.ts'

export type RunnerRow = Selectable<RunnersTable>

export function runnersByIds(db: Database, ids: readonly number[]): Map<number, RunnerRow> {
  const rows = db.many<RunnerRow>(
    'SELECT * FROM runners WHERE id IN (SELECT value FROM json_each(?))',
    jsonList([...new Set(ids)]),
  )
  return new Map(rows.map((row) => [row.id, row]))
}
