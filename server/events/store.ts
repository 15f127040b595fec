import type { Database } from '../db/database.ts'

/** The job of one subscriber. `args` is the payload of an event, or the list of events if the subscriber gathers them. */
export interface SubscriberJob {
  readonly name: string
  readonly args: string
  readonly key: string | null
  readonly once: string | null
  readonly created_at: string
  readonly cause: string | null
}

/** Stores a job. If a job with the same `once` is still waiting, adds the event to the list of that job instead. */
export function insertOrExtend(db: Database, job: SubscriberJob): void {
  db.exec(
    `INSERT INTO jobs (name, args, key, once, run_at, created_at, cause) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (once) WHERE once IS NOT NULL AND state = 'ready'
     DO UPDATE SET args = json_insert(jobs.args, '$[#]', json(excluded.args -> '$[0]'))`,
    job.name,
    job.args,
    job.key,
    job.once,
    job.created_at,
    job.created_at,
    job.cause,
  )
}
