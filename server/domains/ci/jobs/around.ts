import type { Selectable } from 'kysely'

import { jsonList, type Database } from '../../../db/database.ts'
import type { CiArtifactsTable, RunnersTable } from '../../../db/schema.gen.ts'

export type ArtifactRow = Selectable<CiArtifactsTable>
export type RunnerRow = Selectable<RunnersTable>

export function artifactsOf(db: Database, jobIds: readonly number[]): Map<number, ArtifactRow[]> {
  const rows = db.many<ArtifactRow>(
    'SELECT * FROM ci_artifacts WHERE job_id IN (SELECT value FROM json_each(?)) ORDER BY id',
    jsonList(jobIds),
  )
  const found = new Map<number, ArtifactRow[]>()
  for (const row of rows) found.set(row.job_id, [...(found.get(row.job_id) ?? []), row])
  return found
}

export function runnersByIds(db: Database, ids: readonly number[]): Map<number, RunnerRow> {
  const rows = db.many<RunnerRow>(
    'SELECT * FROM runners WHERE id IN (SELECT value FROM json_each(?))',
    jsonList([...new Set(ids)]),
  )
  return new Map(rows.map((row) => [row.id, row]))
}
