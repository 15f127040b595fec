import { jsonList, type Database } from '../../../db/database.ts'
import type { Rows } from '../../../db/rows.ts'
import type { JobRow } from '../jobs/store.ts'
import type { PipelineRow } from '../pipelines/store.ts'

/** The filters of the window's list. */
export interface OverviewFilter {
  readonly project_id: number
  readonly search?: string | undefined
  readonly status?: string | undefined
  readonly ref?: string | undefined
  readonly source?: string | undefined
  readonly username?: string | undefined
}

/** A pipeline for the charts. */
export interface ChartPipeline {
  /** The day on which the pipeline was created (UTC). */
  readonly day: string
  readonly status: PipelineRow['status']
  /** Seconds. */
  readonly duration: number | null
}

/**
 * The pipelines of a project since a time without child pipelines, the oldest first. An index contains all columns that
 * it reads.
 */
export function pipelinesSince(
  db: Database,
  filter: { readonly project_id: number; readonly from: string; readonly ref?: string | undefined },
): ChartPipeline[] {
  const { project_id, from, ref = null } = filter
  return db.many<ChartPipeline>(
    `SELECT substr(created_at, 1, 10) AS day, status, duration FROM ci_pipelines
     WHERE project_id = ? AND created_at >= ? AND source <> 'parent_pipeline' AND (? IS NULL OR ref = ?)
     ORDER BY created_at`,
    project_id,
    from,
    ref,
    ref,
  )
}

/** A page of the pipelines of a project, newest first. Child pipelines are left out, because their parents show them. */
export function list(
  db: Database,
  filter: OverviewFilter,
  paging: { readonly limit: number; readonly offset: number },
): Rows<PipelineRow> {
  const conditions = ['p.project_id = ?', "p.source <> 'parent_pipeline'"]
  const values: (string | number)[] = [filter.project_id]
  for (const column of ['status', 'ref', 'source'] as const) {
    const value = filter[column]
    if (value === undefined) continue
    conditions.push(`p.${column} = ?`)
    values.push(value)
  }
  if (filter.search) {
    conditions.push('(instr(lower(p.ref), lower(?)) > 0 OR substr(p.sha, 1, length(?)) = lower(?))')
    values.push(filter.search, filter.search, filter.search)
  }
  if (filter.username !== undefined) {
    conditions.push('p.user_id = (SELECT id FROM users WHERE username = ? COLLATE NOCASE)')
    values.push(filter.username)
  }
  const where = `FROM ci_pipelines p WHERE ${conditions.join(' AND ')}`
  const rows = db.many<PipelineRow>(
    `SELECT p.* ${where} ORDER BY p.id DESC LIMIT ? OFFSET ?`,
    ...values,
    paging.limit,
    paging.offset,
  )
  const { total } = db.one<{ total: number }>(`SELECT count(*) AS total ${where}`, ...values)!
  return { rows, total }
}

/** The newest pipeline of each commit, without child pipelines. */
export function newestOfCommits(db: Database, projectId: number, shas: readonly string[]): PipelineRow[] {
  return db.many<PipelineRow>(
    `SELECT p.* FROM ci_pipelines p WHERE p.id IN (
       SELECT max(id) FROM ci_pipelines WHERE project_id = ? AND sha IN (SELECT value FROM json_each(?))
       AND source <> 'parent_pipeline' GROUP BY sha)`,
    projectId,
    jsonList(shas),
  )
}

/** The newest pipeline of a branch, without child pipelines. */
export function newestOfRef(db: Database, projectId: number, ref: string): PipelineRow | undefined {
  return db.one<PipelineRow>(
    `SELECT * FROM ci_pipelines WHERE project_id = ? AND ref = ? AND source <> 'parent_pipeline'
     ORDER BY id DESC LIMIT 1`,
    projectId,
    ref,
  )
}

/** The number of jobs of a pipeline with the same stage and status. */
export interface StageCount {
  readonly pipeline_id: number
  readonly stage: string
  readonly stage_index: number
  readonly status: JobRow['status']
  readonly allow_failure: boolean
  readonly count: number
}

/** Counts the jobs of pipelines by stage and status, without retried jobs. */
export function countByStage(db: Database, pipelineIds: readonly number[]): StageCount[] {
  return db.many<StageCount>(
    `SELECT pipeline_id, stage, stage_index, status, allow_failure, count(*) AS count FROM ci_jobs
     WHERE pipeline_id IN (SELECT value FROM json_each(?)) AND retried = 0
     GROUP BY pipeline_id, stage_index, stage, status, allow_failure ORDER BY pipeline_id, stage_index`,
    jsonList(pipelineIds),
  )
}

/** The IIDs of merge requests, by ID. */
export function requestIids(db: Database, ids: readonly number[]): Map<number, number> {
  const rows = db.many<{ id: number; iid: number }>(
    'SELECT id, iid FROM merge_requests WHERE id IN (SELECT value FROM json_each(?))',
    jsonList(ids),
  )
  return new Map(rows.map((row) => [row.id, row.iid]))
}

/** The maximum number of running jobs that are read. */
const MAX_RUNNING = 200

/** The running jobs of all projects with the names of their runners, the newest first. */
export function runningJobs(db: Database): (JobRow & { readonly runner_name: string | null })[] {
  return db.many(
    `SELECT j.*, ifnull(r.description, '#' || r.id) AS runner_name
     FROM ci_jobs j LEFT JOIN runners r ON r.id = j.runner_id
     WHERE j.status IN ('running', 'canceling') AND j.kind = 'job' ORDER BY j.id DESC LIMIT ${MAX_RUNNING}`,
  )
}

/** Pipelines that failed since a time and are the newest of their branch or tag, without child pipelines. */
export function failedSince(
  db: Database,
  since: string,
  limit: number,
): Pick<PipelineRow, 'id' | 'project_id' | 'ref'>[] {
  return db.many(
    `SELECT p.id, p.project_id, p.ref FROM ci_pipelines p
     WHERE p.status = 'failed' AND p.finished_at > ? AND p.source <> 'parent_pipeline'
       AND NOT EXISTS (SELECT 1 FROM ci_pipelines n WHERE n.project_id = p.project_id AND n.ref = p.ref
         AND n.id > p.id AND n.source <> 'parent_pipeline')
     ORDER BY p.finished_at DESC LIMIT ?`,
    since,
    limit,
  )
}

/** The number of the project's last successful jobs that are read. */
const MAX_READ = 400
/** The number of runs of which the median is taken. */
const MAX_RUNS = 10

function median(sorted: readonly number[]): number {
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/**
 * The usual durations of jobs in seconds, by name: the median of the last successful runs in the project, except in one
 * pipeline. Jobs that have not run recently are left out.
 */
export function usualDurations(
  db: Database,
  projectId: number,
  exceptPipelineId: number,
): Map<string, number> {
  const rows = db.many<{ name: string; started_at: string; finished_at: string }>(
    `SELECT name, started_at, finished_at FROM (
       SELECT * FROM ci_jobs INDEXED BY ci_jobs_project_status
       WHERE project_id = ? AND status = 'success' ORDER BY id DESC LIMIT ${MAX_READ})
     WHERE kind = 'job' AND pipeline_id <> ? AND started_at IS NOT NULL AND finished_at IS NOT NULL`,
    projectId,
    exceptPipelineId,
  )
  const runs = new Map<string, number[]>()
  for (const row of rows) {
    const existing = runs.get(row.name) ?? []
    if (existing.length >= MAX_RUNS) continue
    existing.push((Date.parse(row.finished_at) - Date.parse(row.started_at)) / 1000)
    runs.set(row.name, existing)
  }
  return new Map([...runs].map(([name, seconds]) => [name, median(seconds.toSorted((a, b) => a - b))]))
}
