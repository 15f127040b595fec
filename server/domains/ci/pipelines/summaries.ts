import { jsonList, type Database } from '../../../db/database.ts'

/** What the jobs of a pipeline say about it together. */
export interface Summary {
  /** Average of the jobs that say something, percent. */
  readonly coverage: number | null
  /** 1 where a job failed or was canceled that was allowed to. */
  readonly warnings: number
}

/** Summaries of pipelines by id; those without jobs are left out. Older copies of a job do not count. */
export function summaries(db: Database, pipelineIds: readonly number[]): Map<number, Summary> {
  if (pipelineIds.length === 0) return new Map()
  const rows = db.many<Summary & { pipeline_id: number }>(
    `SELECT pipeline_id, avg(coverage) AS coverage,
       max(allow_failure = 1 AND status IN ('failed', 'canceled')) AS warnings
     FROM ci_jobs WHERE pipeline_id IN (SELECT value FROM json_each(?)) AND retried = 0 GROUP BY pipeline_id`,
    jsonList(pipelineIds),
  )
  return new Map(rows.map((row) => [row.pipeline_id, row]))
}
