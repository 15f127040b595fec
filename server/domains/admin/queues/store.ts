import type { Database } from '../../../db/database.ts'

/** Queues by the lane of their jobs. */
export const QUEUES = { default: 'main', outside: 'outside' } as const
export type QueueName = keyof typeof QUEUES

export interface Queue {
  readonly name: QueueName
  /** Jobs that are due and wait. */
  readonly backlog: number
  /** When the oldest of them became due. */
  readonly since: string | null
}

/** How many jobs wait in each queue. */
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
  /** Done and failed jobs, as long as they are kept. */
  readonly processed: number
  readonly failed: number
  /** Waiting jobs, including scheduled ones. */
  readonly enqueued: number
  readonly running: number
}

/** How many jobs there are by state; each number comes from an index. */
export function jobCounts(db: Database): JobCounts {
  const of = (condition: string) =>
    db.one<{ n: number }>(`SELECT count(*) AS n FROM jobs WHERE ${condition}`)!.n
  return {
    processed: of('finished_at IS NOT NULL'),
    failed: of("state = 'failed'"),
    enqueued: of("state = 'ready'"),
    running: of("state = 'running'"),
  }
}

export interface FailedJob {
  readonly id: number
  readonly name: string
  readonly error: string | null
  readonly attempts: number
  readonly finished_at: string
}

/** The jobs that failed last. */
export function lastFailures(db: Database, limit: number): FailedJob[] {
  return db.many<FailedJob>(
    `SELECT id, name, error, attempts, finished_at FROM jobs
     WHERE state = 'failed' AND finished_at IS NOT NULL ORDER BY finished_at DESC, id DESC LIMIT ?`,
    limit,
  )
}

/** Conditions on waiting jobs; all given ones must hold. */
export interface JobFilter {
  readonly name?: string | undefined
  readonly project_id?: number | undefined
  readonly actor_id?: number | undefined
}

/** Removes waiting jobs of a queue; returns how many it removed, and how many are left. */
export function removeWaiting(
  db: Database,
  queue: QueueName,
  { name, project_id, actor_id }: JobFilter,
): { deleted: number; left: number } {
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
  const remaining = db.one<{ n: number }>(
    "SELECT count(*) AS n FROM jobs WHERE state = 'ready' AND lane = ?",
    lane,
  )
  return { deleted: changes, left: remaining!.n }
}
