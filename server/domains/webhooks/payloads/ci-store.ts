import { type Database, jsonList } from '../../../db/database.ts'
import type { JobRow } from '../../ci/index.ts'

/** What an event says of a runner. */
export interface RunnerRow {
  readonly id: number
  readonly description: string | null
  readonly runner_type: string
  readonly paused: boolean
  readonly tag_list: string
}

/** The newest copies of a pipeline's jobs, in the order of the stages; neither trigger jobs nor reports. */
export function latestJobs(db: Database, pipelineId: number): JobRow[] {
  return db.many<JobRow>(
    `SELECT * FROM ci_jobs WHERE pipeline_id = ? AND kind = 'job' AND retried = 0 ORDER BY stage_index, id`,
    pipelineId,
  )
}

/** The jobs that a pipeline was made with: of each name the oldest copy. */
export function firstJobs(db: Database, pipelineId: number): JobRow[] {
  return db.many<JobRow>(
    `SELECT * FROM ci_jobs WHERE id IN (
       SELECT min(id) FROM ci_jobs WHERE pipeline_id = ? AND kind = 'job' GROUP BY name) ORDER BY stage_index, id`,
    pipelineId,
  )
}

/** Names of a pipeline's stages, in their order. */
export function stagesOf(db: Database, pipelineId: number): string[] {
  const rows = db.many<{ stage: string }>(
    'SELECT stage FROM ci_jobs WHERE pipeline_id = ? GROUP BY stage ORDER BY min(stage_index), stage',
    pipelineId,
  )
  return rows.map((row) => row.stage)
}

/** Whether jobs of a pipeline failed that were allowed to. */
export function hasWarnings(db: Database, pipelineId: number): boolean {
  const found = db.one<{ found: number }>(
    `SELECT EXISTS (SELECT 1 FROM ci_jobs WHERE pipeline_id = ? AND retried = 0 AND allow_failure = 1
       AND status IN ('failed', 'canceled')) AS found`,
    pipelineId,
  )
  return found!.found === 1
}

/** How many copies of a job there were before. */
export function retriesOf(db: Database, job: JobRow): number {
  return db.one<{ count: number }>(
    'SELECT count(*) AS count FROM ci_jobs WHERE pipeline_id = ? AND name = ? AND retried = 1 AND id < ?',
    job.pipeline_id,
    job.name,
    job.id,
  )!.count
}

/** Runners by their ids. */
export function runners(db: Database, ids: readonly number[]): Map<number, RunnerRow> {
  const rows = db.many<RunnerRow>(
    `SELECT id, description, runner_type, paused, tag_list FROM runners
     WHERE id IN (SELECT value FROM json_each(?))`,
    jsonList([...new Set(ids)]),
  )
  return new Map(rows.map((row) => [row.id, row]))
}

/** Tiers of a project's environments, by name. */
export function tiers(db: Database, projectId: number, names: readonly string[]): Map<string, string> {
  const rows = db.many<{ name: string; tier: string }>(
    `SELECT name, tier FROM environments WHERE project_id = ? AND name IN (SELECT value FROM json_each(?))`,
    projectId,
    JSON.stringify([...new Set(names)]),
  )
  return new Map(rows.map((row) => [row.name, row.tier]))
}

/** The archives that jobs left, by job. */
export function archives(
  db: Database,
  jobIds: readonly number[],
): Map<number, { readonly filename: string; readonly size: number }> {
  const rows = db.many<{ job_id: number; filename: string; size: number }>(
    `SELECT job_id, filename, size FROM ci_artifacts
     WHERE job_id IN (SELECT value FROM json_each(?)) AND file_type = 'archive'`,
    jsonList(jobIds),
  )
  return new Map(rows.map((row) => [row.job_id, row]))
}
