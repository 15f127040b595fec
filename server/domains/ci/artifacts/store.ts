import type { Insertable, Selectable } from 'kysely'

import { jsonList, q, type Database } from '../../../db/database.ts'
import type { CiArtifactsTable } from '../../../db/schema.gen.ts'
import type { JobRow } from '../jobs/store.ts'
import type { PipelineRow } from '../pipelines/store.ts'

/** The row of an artifact or log of a job. The content is a file on disk. */
export type ArtifactRow = Selectable<CiArtifactsTable>

/** The artifacts of the given jobs, by job ID, oldest first. Jobs without artifacts have no entry. */
export function artifactsOf(db: Database, jobIds: readonly number[]): Map<number, ArtifactRow[]> {
  const rows = db.many<ArtifactRow>(
    'SELECT * FROM ci_artifacts WHERE job_id IN (SELECT value FROM json_each(?)) ORDER BY job_id, +id',
    jsonList(jobIds),
  )
  const byJob = new Map<number, ArtifactRow[]>()
  for (const row of rows) byJob.set(row.job_id, [...(byJob.get(row.job_id) ?? []), row])
  return byJob
}

/** The artifact of a job with the given file type. */
export function ofType(db: Database, jobId: number, type: string): ArtifactRow | undefined {
  return db.get(
    q.selectFrom('ci_artifacts').selectAll().where('job_id', '=', jobId).where('file_type', '=', type),
  )
}

export function insert(db: Database, row: Insertable<CiArtifactsTable>): ArtifactRow {
  return db.get(q.insertInto('ci_artifacts').values(row).returningAll())!
}

/**
 * Deletes the artifacts of a job except its log, and the test cases that were read from them, but not the test summary.
 * Returns whether there were any artifacts.
 */
export function removeArtifacts(db: Database, jobId: number): boolean {
  const { changes } = db.exec("DELETE FROM ci_artifacts WHERE job_id = ? AND file_type <> 'trace'", jobId)
  db.exec('DELETE FROM ci_job_exports WHERE job_id = ?', jobId)
  db.exec("UPDATE ci_test_suites SET report = '{}' WHERE job_id = ?", jobId)
  db.exec('DELETE FROM ci_artifact_ends WHERE job_id = ?', jobId)
  return changes > 0
}

/** Sets the time at which the files of a job expire. Null means never. */
export function setExpiry(db: Database, jobId: number, at: string | null): void {
  db.exec('UPDATE ci_jobs SET artifacts_expire_at = ? WHERE id = ?', at, jobId)
  if (at === null) {
    db.exec('DELETE FROM ci_artifact_ends WHERE job_id = ?', jobId)
    return
  }
  db.exec(
    `INSERT INTO ci_artifact_ends (job_id, ends_at) VALUES (?, ?)
     ON CONFLICT (job_id) DO UPDATE SET ends_at = excluded.ends_at`,
    jobId,
    at,
  )
}

/** Marks a job as erased. */
export function markErased(db: Database, jobId: number, at: string): JobRow {
  return db.one<JobRow>(
    'UPDATE ci_jobs SET erased_at = ?, updated_at = ?, artifacts_expire_at = NULL WHERE id = ? RETURNING *',
    at,
    at,
    jobId,
  )!
}

/** Deletes the test summary of a job. */
export function removeSuite(db: Database, jobId: number): void {
  db.exec('DELETE FROM ci_test_suites WHERE job_id = ?', jobId)
}

/** Whether a row refers to this stored name. */
export function isStored(db: Database, storedAs: string): boolean {
  return db.one('SELECT 1 FROM ci_artifacts WHERE stored_as = ?', storedAs) !== undefined
}

/** Those of the stored names that no row refers to. */
export function unreferencedNames(db: Database, names: readonly string[]): string[] {
  const sql = 'SELECT value AS name FROM json_each(?) WHERE value NOT IN (SELECT stored_as FROM ci_artifacts)'
  return db.many<{ name: string }>(sql, jsonList(names)).map((row) => row.name)
}

/** A batch of the files to delete. */
export function filesToDelete(db: Database, limit: number): { project_id: number; stored_as: string }[] {
  return db.many('SELECT project_id, stored_as FROM ci_gone_artifacts LIMIT ?', limit)
}

/** Removes files from the list of files to delete. */
export function removeDeletedRows(db: Database, names: readonly string[]): void {
  db.exec(
    'DELETE FROM ci_gone_artifacts WHERE stored_as IN (SELECT value FROM json_each(?))',
    jsonList(names),
  )
}

/** A batch of the artifacts of a project except logs, with IDs above `after`. */
export function filesFrom(
  db: Database,
  projectId: number,
  after: number,
  limit: number,
): { id: number; job_id: number }[] {
  return db.many(
    `SELECT id, job_id FROM ci_artifacts INDEXED BY ci_artifacts_project
     WHERE project_id = ? AND id > ? AND file_type <> 'trace' ORDER BY id LIMIT ?`,
    projectId,
    after,
    limit,
  )
}

/** A batch of jobs with expired files, by expiry time, after the given job. */
export function expiredJobs(
  db: Database,
  now: string,
  after: { readonly ends_at: string; readonly id: number },
  limit: number,
): { id: number; ends_at: string; project_id: number; pipeline_id: number }[] {
  const sql = `SELECT j.id, e.ends_at, j.project_id, j.pipeline_id
    FROM ci_artifact_ends e JOIN ci_jobs j ON j.id = e.job_id
    WHERE e.ends_at <= ? AND (e.ends_at, e.job_id) > (?, ?)
    ORDER BY e.ends_at, e.job_id LIMIT ?`
  return db.many(sql, now, after.ends_at, after.id, limit)
}

/** The latest jobs of a pipeline, without retried ones. */
export function latestJobs(db: Database, pipelineId: number): JobRow[] {
  return db.many<JobRow>(
    "SELECT * FROM ci_jobs WHERE pipeline_id = ? AND kind = 'job' AND retried = 0 ORDER BY id",
    pipelineId,
  )
}

/** The maximum number of pipelines to follow. In practice there are at most a few dozen. */
const MAX_FAMILY = 1000

/** A pipeline and its child pipelines in the same project, at any depth. */
export function pipelineAndChildIds(db: Database, pipelineId: number): number[] {
  const family = new Set([pipelineId])
  let level = [pipelineId]
  while (level.length > 0 && family.size < MAX_FAMILY) {
    const children = db.many<{ id: number }>(
      `SELECT id FROM ci_pipelines WHERE upstream_pipeline_id IN (SELECT value FROM json_each(?))
       AND source = 'parent_pipeline'`,
      jsonList(level),
    )
    level = children.map((row) => row.id).filter((id) => !family.has(id))
    for (const id of level) family.add(id)
  }
  return [...family]
}

/** The newest job of the given pipelines with the given name and an archive. */
export function newestWithArchive(
  db: Database,
  pipelineIds: readonly number[],
  name: string,
): JobRow | undefined {
  return db.one<JobRow>(
    `SELECT j.* FROM ci_jobs j INDEXED BY ci_jobs_pipeline
     WHERE j.pipeline_id IN (SELECT value FROM json_each(?)) AND j.name = ? AND j.kind = 'job' AND j.retried = 0
       AND EXISTS (SELECT 1 FROM ci_artifacts a WHERE a.job_id = j.id AND a.file_type = 'archive')
     ORDER BY +j.id DESC LIMIT 1`,
    jsonList(pipelineIds),
    name,
  )
}

/** The row of a variable that a job exported. The value is encrypted. */
export interface ExportRow {
  readonly key: string
  readonly value: string
}

/** The variables that the given jobs exported, in the order of the jobs. */
export function exportsOf(db: Database, jobIds: readonly number[]): ExportRow[] {
  return db.many<ExportRow>(
    `SELECT key, value FROM ci_job_exports
     WHERE job_id IN (SELECT value FROM json_each(?)) ORDER BY job_id, key`,
    jsonList(jobIds),
  )
}

/** Stores a variable that a job exported. The value is already encrypted. */
export function upsertExport(db: Database, jobId: number, { key, value }: ExportRow): void {
  const sql = 'INSERT OR REPLACE INTO ci_job_exports (job_id, key, value) VALUES (?, ?, ?)'
  db.exec(sql, jobId, key, value)
}

/** The last successful pipeline of a branch or tag, without child pipelines. */
export function lastSuccess(
  db: Database,
  { project_id, ref, tag }: Pick<PipelineRow, 'project_id' | 'ref' | 'tag'>,
): PipelineRow | undefined {
  return db.one<PipelineRow>(
    `SELECT * FROM ci_pipelines WHERE project_id = ? AND ref = ? AND tag = ? AND status = 'success'
     AND source <> 'parent_pipeline' ORDER BY id DESC LIMIT 1`,
    project_id,
    ref,
    tag,
  )
}

/** Unlocks the artifacts of a pipeline, so that they expire although it is the last successful one of its ref. */
export function unlockArtifacts(db: Database, pipelineId: number): void {
  db.exec('UPDATE ci_pipelines SET artifacts_unlocked = 1 WHERE id = ?', pipelineId)
}
