import type { Database } from '../../../db/database.ts'

/** How many of a project's last successful jobs are looked at, and how many runs of one name count. */
const LOOKED_AT = 400
const RUNS = 10

function median(sorted: readonly number[]): number {
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/**
 * How long jobs usually take, in seconds by their name: the median of their last successful runs in the project outside of
 * one pipeline. Names that did not run lately are left out.
 */
export function usualDurations(
  db: Database,
  projectId: number,
  exceptPipelineId: number,
): Map<string, number> {
  const rows = db.many<{ name: string; started_at: string; finished_at: string }>(
    `SELECT name, started_at, finished_at FROM (
       SELECT * FROM ci_jobs INDEXED BY ci_jobs_project_status
       WHERE project_id = ? AND status = 'success' ORDER BY id DESC LIMIT ${LOOKED_AT})
     WHERE kind = 'job' AND pipeline_id <> ? AND started_at IS NOT NULL AND finished_at IS NOT NULL`,
    projectId,
    exceptPipelineId,
  )
  const runs = new Map<string, number[]>()
  for (const row of rows) {
    const known = runs.get(row.name) ?? []
    if (known.length >= RUNS) continue
    known.push((Date.parse(row.finished_at) - Date.parse(row.started_at)) / 1000)
    runs.set(row.name, known)
  }
  return new Map([...runs].map(([name, seconds]) => [name, median(seconds.toSorted((a, b) => a - b))]))
}
