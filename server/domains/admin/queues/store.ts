import type { Database } from '../../../db/database.ts'

/** The queues of the API, each with the lane of its jobs. */
export const QUEUES = { default: 'main', outside: 'outside' } as const
export type QueueName = keyof typeof QUEUES

export interface Queue {
  readonly name: QueueName
  /** The number of due jobs that wait. */
  readonly backlog: number
  /** The time when the oldest of them became due. */
  readonly since: string | null
}

/** Returns the number of waiting jobs in each queue. */
export function queues(db: Database, now: string): Queue[] {
  return (Object.keys(QUEUES) as QueueName[]).map((name) => {
    const row = db.one<{ n: number; since: string | null }>(
      "SELECT count(*) AS n, min(run_at) AS since FROM jobs WHERE state = 'ready' AND lane = ? AND run_at <= ?",
      QUEUES[name],
      now,
    )!
    return { name, backlog: row.n, since: row.since }
  })
}

export interface JobCounts {
  /** Finished and failed jobs that have not been deleted yet. */
  readonly processed: number
  readonly failed: number
  /** Waiting jobs, including scheduled ones. */
  readonly enqueued: number
  readonly running: number
}

/** Returns the numbers of jobs by state. Each number comes from an index. */
export function jobCounts(db: Database): JobCounts {
  const countOf = (condition: string) =>
    db.one<{ n: number }>(`SELECT count(*) AS n FROM jobs WHERE ${condition}`)!.n
  return {
    processed: countOf('finished_at IS NOT NULL'),
    failed: countOf("state = 'failed'"),
    enqueued: countOf("state = 'ready'"),
    running: countOf("state = 'running'"),
  }
}

export interface FailedJob {
  readonly id: number
  readonly name: string
  readonly error: string | null
  readonly attempts: number
  readonly finished_at: string
}

/** Returns the jobs that failed last. */
export function lastFailures(db: Database, limit: number): FailedJob[] {
  return db.many<FailedJob>(
    `SELECT id, name, error, attempts, finished_at FROM jobs
     WHERE state = 'failed' AND finished_at IS NOT NULL ORDER BY finished_at DESC, id DESC LIMIT ?`,
    limit,
  )
}

/** Filters of waiting jobs; an absent filter has no effect. */
export interface JobFilter {
  readonly name?: string | undefined
  readonly project_id?: number | undefined
  readonly actor_id?: number | undefined
}

/** Deletes waiting jobs of a queue. Returns the numbers of deleted and of remaining jobs. */
export function removeWaiting(
  db: Database,
  queue: QueueName,
  { name, project_id, actor_id }: JobFilter,
): { deleted: number; remaining: number } {
  const lane = QUEUES[queue]
  const { changes } = db.exec(
    `DELETE FROM jobs WHERE state = 'ready' AND lane = ?
       AND (? IS NULL OR name = ?)
       AND (? IS NULL OR json_extract(args, '$.project_id') = ?)
       AND (? IS NULL OR json_extract(args, '$.actor_id') = ?)`,
    lane,
    name,
    name,
    project_id,
    project_id,
    actor_id,
    actor_id,
  )
  const { n: remaining } = db.one<{ n: number }>(
    "SELECT count(*) AS n FROM jobs WHERE state = 'ready' AND lane = ?",
    lane,
  )!
  return { deleted: changes, remaining }
}
