import type { Selectable } from 'kysely'

import { jsonList, q, type Database } from '../../../db/database.ts'
import type { CiPipelinesTable, CiPipelineVariablesTable } from '../../../db/schema.gen.ts'
import { table } from '../../../db/table.ts'

/** A pipeline as stored. */
export type PipelineRow = Selectable<CiPipelinesTable>
/** A variable with which a pipeline was started. Its value is encrypted. */
export type PipelineVariableRow = Selectable<CiPipelineVariablesTable>

export const { byId, remove } = table('ci_pipelines')

/** The next number of a project's pipelines, from 1. Call it in the transaction that uses it. */
export function nextIid(db: Database, projectId: number): number {
  return db.one<{ pipelines: number }>(
    `INSERT INTO ci_counters (project_id, pipelines) VALUES (?, 1)
     ON CONFLICT (project_id) DO UPDATE SET pipelines = pipelines + 1 RETURNING pipelines`,
    projectId,
  )!.pipelines
}

/** Stores a pipeline, with the next number of its project if it has none. */
export function insert(
  db: Database,
  row: Pick<PipelineRow, 'project_id' | 'source' | 'status' | 'ref' | 'sha' | 'created_at' | 'updated_at'> &
    Partial<Omit<PipelineRow, 'id'>>,
): PipelineRow {
  const iid = row.iid ?? nextIid(db, row.project_id)
  return db.get(
    q
      .insertInto('ci_pipelines')
      .values({ ...row, iid })
      .returningAll(),
  )!
}

/** The pipeline that a trigger job created. */
export function createdByJob(db: Database, jobId: number): PipelineRow | undefined {
  return db.one<PipelineRow>(
    'SELECT * FROM ci_pipelines WHERE upstream_job_id = ? ORDER BY id DESC LIMIT 1',
    jobId,
  )
}

/** The pipelines with the given IDs, by ID. */
export function byIds(db: Database, ids: readonly number[]): Map<number, PipelineRow> {
  const rows = db.many<PipelineRow>(
    'SELECT * FROM ci_pipelines WHERE id IN (SELECT value FROM json_each(?))',
    jsonList([...new Set(ids)]),
  )
  return new Map(rows.map((row) => [row.id, row]))
}

/** The newest pipeline of a commit on a ref, without child pipelines. */
export function newestOf(db: Database, projectId: number, ref: string, sha: string): PipelineRow | undefined {
  return db.one<PipelineRow>(
    `SELECT * FROM ci_pipelines WHERE project_id = ? AND ref = ? AND sha = ? AND source <> 'parent_pipeline'
     ORDER BY id DESC LIMIT 1`,
    projectId,
    ref,
    sha,
  )
}

/** The variables with which a pipeline was started, sorted by name. */
export function variablesOf(db: Database, pipelineId: number): PipelineVariableRow[] {
  return db.many<PipelineVariableRow>(
    'SELECT * FROM ci_pipeline_variables WHERE pipeline_id = ? ORDER BY key',
    pipelineId,
  )
}

/** Updates the row of a pipeline and returns it. */
export function update(
  db: Database,
  id: number,
  columns: Partial<Omit<PipelineRow, 'id' | 'iid' | 'project_id'>>,
): PipelineRow {
  return db.get(q.updateTable('ci_pipelines').set(columns).where('id', '=', id).returningAll())!
}

/** The child pipelines of a pipeline. */
export function childrenOf(db: Database, row: PipelineRow): PipelineRow[] {
  return db.many<PipelineRow>(
    "SELECT * FROM ci_pipelines WHERE upstream_pipeline_id = ? AND project_id = ? AND source = 'parent_pipeline'",
    row.id,
    row.project_id,
  )
}

/** The newest pipeline of a commit on any ref, without child pipelines. */
export function newestOfCommit(db: Database, projectId: number, sha: string): PipelineRow | undefined {
  return db.one<PipelineRow>(
    `SELECT * FROM ci_pipelines WHERE project_id = ? AND sha = ? AND source <> 'parent_pipeline'
     ORDER BY id DESC LIMIT 1`,
    projectId,
    sha,
  )
}

/** The pipelines that trigger jobs created. */
export function createdByJobs(db: Database, jobIds: readonly number[]): PipelineRow[] {
  return db.many<PipelineRow>(
    'SELECT * FROM ci_pipelines WHERE upstream_job_id IN (SELECT value FROM json_each(?)) ORDER BY id',
    jsonList(jobIds),
  )
}
