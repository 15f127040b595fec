import type { Insertable } from 'kysely'

import { jsonList, type Database } from '../db/database.ts'
import type { JobsTable } from '../db/schema.gen.ts'
import type { PublishedEvent } from '../events/publish.ts'
import { isoTime } from '../lib/clock.ts'

export interface JobRow {
  id: number
  name: string
  args: string
  key: string | null
  attempts: number
  cause: string | null
  created_at: string
}

/**
 * Selects the next ready job with a free key: the oldest job of its key, if no other job with the key is running.
 * Gathering subscribers wait for the end of the request that publishes their events.
 */
const claimWhere = (condition: string) => `
  UPDATE jobs SET state = 'running', attempts = attempts + 1
  WHERE id = (
    SELECT j.id FROM jobs j
    WHERE j.state = 'ready' AND j.lane = ? AND j.run_at <= ?
      AND (j.once IS NULL OR j.name NOT LIKE 'event:%' OR coalesce(j.cause, '') NOT IN (SELECT value FROM json_each(?)))
      AND (j.key IS NULL OR (
        NOT EXISTS (SELECT 1 FROM jobs r WHERE r.state = 'running' AND r.key = j.key)
        AND NOT EXISTS (SELECT 1 FROM jobs e WHERE e.state = 'ready' AND e.key = j.key AND e.id < j.id)))
      ${condition}
    ORDER BY j.run_at, j.id LIMIT 1)
  RETURNING id, name, args, key, attempts, cause, created_at`

const CLAIM = claimWhere('')
const CLAIM_AWAITED = claimWhere('AND j.cause IN (SELECT value FROM json_each(?))')
/** With more causes than this, finding their jobs costs more than it saves. */
const MAX_AWAITED = 500

/** A cheap test for due jobs. */
const IS_DUE = "SELECT 1 FROM jobs WHERE state = 'ready' AND lane = ? AND run_at <= ? LIMIT 1"

/** The columns of a new job. */
export type NewJob = Pick<
  Insertable<JobsTable>,
  'name' | 'args' | 'key' | 'once' | 'run_at' | 'created_at' | 'lane' | 'cause'
>

/** Stores a job, unless a ready one with the same `once` waits. */
export function insertJob(db: Database, job: NewJob): void {
  db.exec(
    `INSERT INTO jobs (name, args, key, once, run_at, created_at, lane, cause) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
    job.name,
    job.args,
    job.key,
    job.once,
    job.run_at,
    job.created_at,
    job.lane,
    job.cause,
  )
}

/** Removes jobs of that name and arguments, ready or running. Returns their number. */
export function removeUnfinished(db: Database, name: string, args: string): number {
  const states = ['ready', 'running'] as const
  const removed = states.map((state) => db.exec(REMOVE, state, name, args).changes)
  return removed.reduce((sum, changes) => sum + changes, 0)
}

const REMOVE = 'DELETE FROM jobs WHERE state = ? AND name = ? AND args = ?'

/** Ready jobs of these names, oldest first. */
export function readyJobs(db: Database, names: readonly string[]): JobRow[] {
  return db.many<JobRow>(
    `SELECT id, name, args, key, attempts, cause, created_at FROM jobs
     WHERE state = 'ready' AND name IN (SELECT value FROM json_each(?)) ORDER BY id`,
    jsonList(names),
  )
}

/** Begins a ready job. Returns false if it was removed or is running. */
export function begin(db: Database, id: number): boolean {
  const begun = db.exec(
    "UPDATE jobs SET state = 'running', attempts = attempts + 1 WHERE id = ? AND state = 'ready'",
    id,
  )
  return begun.changes > 0
}

/** Makes jobs of these names due now unless they were tried. */
export function makeDue(db: Database, names: readonly string[], now: string): void {
  db.exec(
    `UPDATE jobs SET run_at = min(run_at, ?)
     WHERE state = 'ready' AND attempts = 0 AND name IN (SELECT value FROM json_each(?))`,
    now,
    jsonList(names),
  )
}

/**
 * Makes interrupted jobs ready again. The interrupted run does not count as an attempt. Their `once` is removed,
 * because two ready jobs may not share one.
 */
export function resetInterrupted(db: Database): void {
  db.exec(
    "UPDATE jobs SET state = 'ready', once = NULL, attempts = max(attempts - 1, 0) WHERE state = 'running'",
  )
}

/** Removes done jobs that finished before that time. */
export function removeDone(db: Database, before: string): void {
  db.exec("DELETE FROM jobs WHERE state = 'done' AND finished_at < ?", before)
}

/** The time at which the next ready job is due; null if none waits. */
export function nextDue(db: Database): string | null {
  const next = db.one<{ run_at: string | null }>(
    `SELECT min(run_at) AS run_at FROM (
       SELECT min(run_at) AS run_at FROM jobs WHERE state = 'ready' AND lane = 'main'
       UNION ALL SELECT min(run_at) FROM jobs WHERE state = 'ready' AND lane = 'outside')`,
  )
  return next?.run_at ?? null
}

const UNDER_WAY = "lane = 'main' AND (state = 'running' OR (state = 'ready' AND run_at <= ?))"
/**
 * The number of rows that are read first, which is enough to find one of many. If it is not among them, all are read.
 */
const FIRST = 50

/** Whether a job with one of these causes runs or is due in the lane `main`. */
export function isCausing(
  db: Database,
  { causes, now }: { causes: ReadonlySet<string>; now: string },
): boolean {
  const read = (limit: number) =>
    db.many<{ cause: string | null }>(
      `SELECT cause FROM jobs WHERE lane = 'main' AND state = 'running'
       UNION ALL SELECT cause FROM (SELECT cause FROM jobs
         WHERE lane = 'main' AND state = 'ready' AND run_at <= ? ORDER BY run_at, id LIMIT ?)`,
      now,
      limit,
    )
  const has = (rows: readonly { cause: string | null }[]) =>
    rows.some(({ cause }) => cause !== null && causes.has(cause))
  const first = read(FIRST)
  return has(first) || (first.length >= FIRST && has(read(-1)))
}

/** The newest job. */
export function lastJob(db: Database): number {
  return db.one<{ id: number }>('SELECT max(id) AS id FROM jobs')?.id ?? 0
}

/** Whether a job up to that one runs or is due in the lane `main`. */
export function isUnderWay(db: Database, { last, now }: { last: number; now: string }): boolean {
  return db.one(`SELECT 1 FROM jobs WHERE ${UNDER_WAY} AND id <= ? LIMIT 1`, now, last) !== undefined
}

/** The time at which the next job becomes due, among those that are not due yet. */
export function nextDueAfter(db: Database, now: string): string | null {
  const sql = "SELECT min(run_at) AS run_at FROM jobs WHERE state = 'ready' AND run_at > ?"
  return db.one<{ run_at: string | null }>(sql, now)?.run_at ?? null
}

/** Last run of each cron line, by name. */
export function cronRuns(db: Database): Map<string, string> {
  const runs = db.many<{ name: string; last_run_at: string }>('SELECT name, last_run_at FROM cron_runs')
  return new Map(runs.map((run) => [run.name, run.last_run_at]))
}

/** Stores the last run of a cron line. After a power cut the line only runs once more. */
export function storeCronRun(db: Database, name: string, now: string): void {
  const sql = `INSERT INTO cron_runs (name, last_run_at) VALUES (?, ?)
     ON CONFLICT DO UPDATE SET last_run_at = excluded.last_run_at`
  db.transaction(() => db.exec(sql, name, now), WITHOUT_SYNC)
}

/** A retry loses its `once`, because another job with the same one may be waiting. */
const END = `
  UPDATE jobs SET state = ?, once = CASE WHEN ? = 'ready' THEN NULL ELSE once END, run_at = coalesce(?, run_at),
    finished_at = ?, error = ? WHERE id = ?`

/** The result of a run. */
export interface JobEnd {
  id: number
  state: 'done' | 'ready' | 'failed'
  /** Time of the next attempt. */
  run_at: string | null
  error: string | null
}

/**
 * Begin and end of a run are stored without waiting for the disk: after a power cut the job only runs once more, which
 * every job allows. Cached answers stay valid.
 */
const WITHOUT_SYNC = { unsynced: true, unnoticed: true }

/** Begins the next job of a lane, if there is one. Jobs with an awaited cause go first. */
export function claim(
  db: Database,
  options: { lane: string; now: string; runningCauses: () => readonly string[]; awaited: readonly string[] },
): JobRow | undefined {
  const { lane, now, runningCauses, awaited } = options
  if (!db.one(IS_DUE, lane, now)) return undefined
  return db.transaction(() => {
    const running = jsonList(runningCauses())
    const isShort = awaited.length > 0 && awaited.length <= MAX_AWAITED
    const first = isShort ? db.one<JobRow>(CLAIM_AWAITED, lane, now, running, jsonList(awaited)) : undefined
    return first ?? db.one<JobRow>(CLAIM, lane, now, running)
  }, WITHOUT_SYNC)
}

/** Stores the result of a run. */
export function storeEnd(db: Database, { id, state, run_at, error }: JobEnd, now: string): void {
  const finished = state === 'ready' ? null : now
  db.transaction(() => db.exec(END, state, state, run_at, finished, error, id), WITHOUT_SYNC)
}

const LONGEST_PAUSE_MS = 3_600_000

/** Pause before attempt n + 1: 1 s, 4 s, 16 s, 64 s, … at most an hour. */
export function backoff(attempts: number): number {
  return Math.min(4 ** (attempts - 1) * 1000, LONGEST_PAUSE_MS)
}

/**
 * Schedules jobs again that were stored by a clock ahead of `now`, with the same pause as before. Returns their number.
 */
export function reschedule(db: Database, now: number): number {
  const ahead = db.many<{ id: number; attempts: number; run_at: string; created_at: string }>(
    `SELECT id, attempts, run_at, created_at FROM jobs
     WHERE state = 'ready' AND (created_at > ? OR (attempts > 0 AND run_at > ?))`,
    isoTime(now),
    isoTime(now + LONGEST_PAUSE_MS),
  )
  db.transaction(() => {
    for (const row of ahead) {
      const planned = Date.parse(row.run_at) - Date.parse(row.created_at)
      const pause = row.attempts > 0 ? backoff(row.attempts) : Math.max(0, planned)
      const created = row.created_at > isoTime(now) ? isoTime(now) : row.created_at
      const update = 'UPDATE jobs SET run_at = ?, created_at = ? WHERE id = ?'
      db.exec(update, isoTime(now + pause), created, row.id)
    }
    db.exec('UPDATE cron_runs SET last_run_at = ? WHERE last_run_at > ?', isoTime(now), isoTime(now))
  })
  return ahead.length
}

/** Tables of the rows that jobs refer to, by argument. */
export type Subjects = Readonly<Record<string, string>>

/** The subjects of a job by their arguments, without the deleted row that caused the job (`ends`). */
export function ownersOf({ args }: JobRow, ends?: string): Readonly<Record<string, unknown>> {
  const parsed: unknown = JSON.parse(args)
  const [first] = Array.isArray(parsed) ? (parsed as PublishedEvent[]) : []
  const owners = (first ? first.payload : parsed) as Readonly<Record<string, unknown>>
  return ends === undefined ? owners : { ...owners, [ends]: undefined }
}

/**
 * The argument of a failed job that refers to a deleted row. `ends` is the argument of the deleted row that caused
 * the job.
 */
export function goneSubject(
  db: Database,
  subjects: Subjects,
  job: JobRow,
  ends?: string,
): string | undefined {
  const owners = ownersOf(job, ends)
  const deletedSubject = Object.entries(subjects).find(([field, table]) => {
    const id = owners[field]
    if (typeof id !== 'number') return false
    return !db.one(`SELECT 1 FROM ${table} WHERE id = ?`, id)
  })
  return deletedSubject?.[0]
}
