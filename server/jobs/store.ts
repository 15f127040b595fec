import type { Insertable } from 'kysely'

import { jsonList, type Database } from '../db/database.ts'
import type { JobsTable } from '../db/schema.gen.ts'
import type { PublishedEvent } from '../events/publish.ts'
import { isoTime } from '../lib/clock.ts'
import type { Lane } from './job.ts'
import { LANES } from './limits.ts'

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
 * Finds the next due job. A job with a key must be the oldest with that key, and none with the key may be running.
 */
const nextWhere = (condition: string) => `
  SELECT j.id, j.name, j.args, j.key, j.attempts, j.cause, j.created_at, j.once FROM jobs j
  WHERE j.state = 'ready' AND j.lane = ? AND j.run_at <= ?
    AND (j.key IS NULL OR (
      NOT EXISTS (SELECT 1 FROM jobs r WHERE r.state = 'running' AND r.key = j.key)
      AND NOT EXISTS (SELECT 1 FROM jobs e WHERE e.state = 'ready' AND e.key = j.key AND e.id < j.id)))
    ${condition}
  ORDER BY j.run_at, j.id LIMIT 1`

/** Jobs of subscribers that gather events wait for the end of the request that publishes them. */
const NOT_GATHERING = `AND (j.once IS NULL OR j.name NOT LIKE 'event:%'
  OR coalesce(j.cause, '') NOT IN (SELECT value FROM json_each(?)))`

const NEXT = nextWhere('')
const NEXT_NOT_GATHERING = nextWhere(NOT_GATHERING)
const NEXT_AWAITED = nextWhere(`${NOT_GATHERING} AND j.cause IN (SELECT value FROM json_each(?))`)
/** With more causes than this, finding their jobs costs more than it saves. */
const MAX_AWAITED = 500

/** A cheap check for due jobs, before a transaction. */
const IS_DUE = "SELECT 1 FROM jobs WHERE state = 'ready' AND lane = ? AND run_at <= ? LIMIT 1"

/** The columns of a new job. */
export type NewJob = Pick<
  Insertable<JobsTable>,
  'name' | 'args' | 'key' | 'once' | 'run_at' | 'created_at' | 'lane' | 'cause'
>

/** Stores a job, unless a ready job with the same `once` waits. */
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

/** Removes the ready and running jobs with a name and arguments. Returns the number of removed jobs. */
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

/** Begins a ready job. Returns false if the job was removed or is already running. */
export function begin(db: Database, id: number): boolean {
  const updated = db.exec(
    "UPDATE jobs SET state = 'running', attempts = attempts + 1 WHERE id = ? AND state = 'ready'",
    id,
  )
  return updated.changes > 0
}

/** Makes jobs of these names due now, unless they have run before. */
export function makeDue(db: Database, names: readonly string[], now: string): void {
  db.exec(
    `UPDATE jobs SET run_at = min(run_at, ?)
     WHERE state = 'ready' AND attempts = 0 AND name IN (SELECT value FROM json_each(?))`,
    now,
    jsonList(names),
  )
}

/**
 * Makes interrupted jobs ready again. The interrupted run does not count as an attempt. `once` is removed, because
 * another ready job may have the same value.
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

/** The time at which the next ready job is due. Null if there is none. */
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
 * The number of rows that `hasUnfinishedFor` reads first. Usually a match is among them; if not, it reads all rows.
 */
const FIRST = 50

/** Whether a job with one of these causes runs or is due in the lane `main`. */
export function hasUnfinishedFor(
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

/** The ID of the newest job, or 0. */
export function lastJob(db: Database): number {
  return db.one<{ id: number }>('SELECT max(id) AS id FROM jobs')?.id ?? 0
}

/** Whether a job with an ID up to `last` runs or is due in the lane `main`. */
export function hasUnfinished(db: Database, { last, now }: { last: number; now: string }): boolean {
  return db.one(`SELECT 1 FROM jobs WHERE ${UNDER_WAY} AND id <= ? LIMIT 1`, now, last) !== undefined
}

/** The earliest due time after `now`. Null if there is none. */
export function nextDueAfter(db: Database, now: string): string | null {
  const sql = "SELECT min(run_at) AS run_at FROM jobs WHERE state = 'ready' AND run_at > ?"
  return db.one<{ run_at: string | null }>(sql, now)?.run_at ?? null
}

/** The time of the last run of each cron line, by name. */
export function cronRuns(db: Database): Map<string, string> {
  const runs = db.many<{ name: string; last_run_at: string }>('SELECT name, last_run_at FROM cron_runs')
  return new Map(runs.map((run) => [run.name, run.last_run_at]))
}

/** Stores the time of the last run of cron lines. */
export function storeCronRuns(db: Database, names: readonly string[], now: string): void {
  if (names.length === 0) return
  const sql = `INSERT INTO cron_runs (name, last_run_at) VALUES (?, ?)
     ON CONFLICT DO UPDATE SET last_run_at = excluded.last_run_at`
  db.transaction(() => {
    for (const name of names) db.exec(sql, name, now)
  }, WITHOUT_SYNC)
}

/** Removes `once` from a job that is retried, because another ready job may have the same value. */
const END = `
  UPDATE jobs SET state = ?, once = CASE WHEN ? = 'ready' THEN NULL ELSE once END, run_at = coalesce(?, run_at),
    finished_at = ?, error = ? WHERE id = ?`

/** The result of a run. */
export interface JobResult {
  id: number
  state: 'done' | 'ready' | 'failed'
  /** Time of the next attempt. */
  run_at: string | null
  error: string | null
}

/**
 * The start and the end of a run are stored without waiting for the disk. After a power cut the job runs once more,
 * which is harmless because jobs are idempotent. Cached answers stay valid.
 */
const WITHOUT_SYNC = { unsynced: true, unnoticed: true }

/** What `exchange` needs to know to choose the next jobs. */
export interface ClaimOptions {
  readonly now: string
  /** The number of jobs that may begin, by lane. */
  readonly free: Readonly<Record<Lane, number>>
  /** The causes of the requests that are being answered. */
  readonly runningCauses: () => readonly string[]
  /** Jobs with these causes come first. */
  readonly awaited: readonly string[]
}

/**
 * Stores the results of runs that have ended and begins the next jobs, in one transaction, because one costs as much as
 * the work in it. Returns the begun jobs with their lane.
 */
export function exchange(
  db: Database,
  results: readonly JobResult[],
  options: ClaimOptions,
): { row: JobRow; lane: Lane }[] {
  const { now, free } = options
  const mayHaveWork = (lane: Lane) => free[lane] > 0 && db.one(IS_DUE, lane, now) !== undefined
  // A result may free a key, so every lane is looked at.
  const lanes = LANES.filter((lane) => (results.length > 0 ? free[lane] > 0 : mayHaveWork(lane)))
  if (results.length === 0 && lanes.length === 0) return []
  return db.transaction(() => {
    for (const result of results) storeResult(db, result, now)
    const causes = options.runningCauses()
    return lanes.flatMap((lane) => claim(db, lane, { ...options, causes }).map((row) => ({ row, lane })))
  }, WITHOUT_SYNC)
}

/** Begins jobs of a lane until no slot is free or none is due. */
function claim(db: Database, lane: Lane, options: ClaimOptions & { causes: readonly string[] }): JobRow[] {
  const rows: JobRow[] = []
  while (rows.length < options.free[lane]) {
    const row = next(db, lane, options)
    if (!row) break
    begin(db, row.id)
    rows.push({ ...row, attempts: row.attempts + 1 })
  }
  return rows
}

/** The next job of a lane. Jobs with an awaited cause come first. */
function next(
  db: Database,
  lane: Lane,
  { now, awaited, causes }: ClaimOptions & { causes: readonly string[] },
): JobRow | undefined {
  if (awaited.length > 0 && awaited.length <= MAX_AWAITED) {
    const first = db.one<JobRow>(NEXT_AWAITED, lane, now, jsonList(causes), jsonList(awaited))
    if (first) return first
  }
  const row = db.one<JobRow & { once: string | null }>(NEXT, lane, now)
  // Most jobs do not gather events, and a list of causes makes the query much slower.
  const isGathering = row?.once != null && row.name.startsWith('event:') && causes.includes(row.cause ?? '')
  return isGathering ? db.one<JobRow>(NEXT_NOT_GATHERING, lane, now, jsonList(causes)) : row
}

/** Stores the result of a run. */
export function storeResult(db: Database, { id, state, run_at, error }: JobResult, now: string): void {
  const finished = state === 'ready' ? null : now
  db.transaction(() => db.exec(END, state, state, run_at, finished, error, id), WITHOUT_SYNC)
}

const LONGEST_PAUSE_MS = 3_600_000

/** The pause in milliseconds after a number of attempts: 1 s, 4 s, 16 s, 64 s, … at most an hour. */
export function backoff(attempts: number): number {
  return Math.min(4 ** (attempts - 1) * 1000, LONGEST_PAUSE_MS)
}

/**
 * Schedules jobs again that were stored while the clock was ahead of `now`, with the same pause as before. Returns
 * their number.
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
      const delay = Date.parse(row.run_at) - Date.parse(row.created_at)
      const pause = row.attempts > 0 ? backoff(row.attempts) : Math.max(0, delay)
      const created = row.created_at > isoTime(now) ? isoTime(now) : row.created_at
      const update = 'UPDATE jobs SET run_at = ?, created_at = ? WHERE id = ?'
      db.exec(update, isoTime(now + pause), created, row.id)
    }
    db.exec('UPDATE cron_runs SET last_run_at = ? WHERE last_run_at > ?', isoTime(now), isoTime(now))
  })
  return ahead.length
}

/** The tables of the rows that jobs refer to, by the name of the argument with the ID. */
export type SubjectTables = Readonly<Record<string, string>>

/** The arguments of a job, among them the IDs of its owners. `ends` names the ID of an already deleted row to leave out. */
export function ownersOf({ args }: JobRow, ends?: string): Readonly<Record<string, unknown>> {
  const parsed: unknown = JSON.parse(args)
  const [first] = Array.isArray(parsed) ? (parsed as PublishedEvent[]) : []
  const owners = (first ? first.payload : parsed) as Readonly<Record<string, unknown>>
  return ends === undefined ? owners : { ...owners, [ends]: undefined }
}

/**
 * The name of the argument that refers to a deleted row, or undefined. `ends` names the argument to ignore: its row was
 * deleted before the job was stored.
 */
export function deletedSubject(
  db: Database,
  subjects: SubjectTables,
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
