import { jsonList, type Database } from '../../../db/database.ts'
import type { Suite, SuiteSummary } from './junit.ts'

/** The summary of the tests of a job. */
export interface StoredSummary {
  readonly job_id: number
  readonly name: string
  /** Whether the job belongs to a matrix. Each job of a matrix has its own suite. */
  readonly in_matrix: boolean
  /** The number of characters of the report. 0 if it was removed with the artifacts of the job. */
  readonly length: number
  readonly summary: SuiteSummary
}

/** Stores the test results of a job. `report` is the JSON of the whole suite. */
export function storeSuite(db: Database, jobId: number, suite: Suite, report: string): void {
  const { test_cases: _cases, ...summary } = suite
  db.exec(
    'INSERT OR REPLACE INTO ci_test_suites (job_id, report, summary) VALUES (?, ?, ?)',
    jobId,
    report,
    JSON.stringify(summary),
  )
}

/** The test summaries of the latest jobs of a pipeline, in the order of the jobs. */
export function summariesOf(db: Database, pipelineId: number): StoredSummary[] {
  const rows = db.many<{ job_id: number; name: string; length: number; summary: string; matrix: number }>(
    `SELECT s.job_id, j.name, ifnull(json_array_length(d.options, '$.parallel.matrix'), 0) AS matrix,
       iif(s.report = '{}', 0, length(s.report)) AS length, s.summary
     FROM ci_jobs j JOIN ci_test_suites s ON s.job_id = j.id LEFT JOIN ci_job_details d ON d.job_id = j.id
     WHERE j.pipeline_id = ? AND j.retried = 0 ORDER BY j.stage_index, j.id`,
    pipelineId,
  )
  return rows.map(({ matrix, summary, ...row }) => ({
    ...row,
    in_matrix: matrix > 0,
    summary: JSON.parse(summary) as SuiteSummary,
  }))
}

/** The tests of a job. Undefined without a report. */
export function suiteOf(db: Database, jobId: number): Suite | undefined {
  const row = db.one<{ report: string }>('SELECT report FROM ci_test_suites WHERE job_id = ?', jobId)
  return row && (JSON.parse(row.report) as Suite)
}

/** Stores the failures of a job's tests on the default branch. `tests` are keys (`testKey`). */
export function storeFailures(
  db: Database,
  job: { readonly id: number; readonly project_id: number },
  tests: readonly string[],
  failedAt: string,
): void {
  for (const test of tests)
    db.exec(
      'INSERT OR IGNORE INTO ci_test_failures (job_id, test, project_id, failed_at) VALUES (?, ?, ?, ?)',
      job.id,
      test,
      job.project_id,
      failedAt,
    )
}

/**
 * The number of failures of tests of a project since the given time, by the key of the test. Tests without failures are
 * left out.
 */
export function failuresOf(
  db: Database,
  projectId: number,
  tests: readonly string[],
  since: string,
): Map<string, number> {
  const rows = db.many<{ test: string; count: number }>(
    `SELECT test, count(*) AS count FROM ci_test_failures
     WHERE project_id = ? AND failed_at > ? AND test IN (SELECT value FROM json_each(?)) GROUP BY test`,
    projectId,
    since,
    jsonList(tests),
  )
  return new Map(rows.map((row) => [row.test, row.count]))
}

/** Removes at most `limit` failures from before the given time, and returns their number. */
export function removeFailures(db: Database, before: string, limit: number): number {
  const sql = `DELETE FROM ci_test_failures WHERE (job_id, test) IN (
    SELECT job_id, test FROM ci_test_failures WHERE failed_at <= ? LIMIT ?)`
  return db.exec(sql, before, limit).changes
}
