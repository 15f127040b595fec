import { performance } from 'node:perf_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'

import type { Ctx } from '../ctx.ts'
import type { Database } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { isoTime } from '../lib/clock.ts'
import { causeOf } from '../lib/cause.ts'
import { Crons, type RunReport } from './crons.ts'
import type { CronLine, Job, Lane } from './job.ts'
import { jobHandlers, type JobHandler } from './kinds.ts'
import {
  CLOCK_SLACK_MS,
  KEEP_DONE_DAYS,
  MAX_SLEEP_MS,
  MIN_SLEEP_MS,
  RESUME_MS,
  RETRY_MS,
  SLOTS,
  TURN_MS,
} from './limits.ts'
import { beginRun, cancelRunsFor, isStopping, RunInterrupted, awaitRuns } from './runs.ts'
import { Waits } from './waits.ts'
import {
  backoff,
  begin,
  deletedSubject,
  exchange,
  hasUnfinishedFor,
  hasUnfinished,
  lastJob,
  makeDue,
  nextDue,
  nextDueAfter,
  ownersOf,
  reschedule,
  readyJobs,
  removeDone,
  storeResult,
  resetInterrupted,
  type JobResult,
  type JobRow,
  type SubjectTables,
} from './store.ts'

/** The runner of an instance. */
export function runnerOf(db: Database): JobRunner {
  return db.instance<JobRunner>('jobs.runner', () => {
    throw new Error('This instance has no runner yet.')
  })
}

/**
 * Runs stored jobs and cron lines in this process. There is one process and no leases: a job that is `running` at start
 * was interrupted and becomes ready again.
 */
export class JobRunner {
  readonly #contextOf: () => Ctx
  readonly #clock: Clock
  readonly #jobs: ReadonlyMap<string, JobHandler>
  /** Names of the jobs that finish interrupted work (`resumes`). */
  readonly #resumingNames: readonly string[]
  readonly #crons: Crons
  readonly #subjects: SubjectTables
  /** Running jobs per lane. */
  readonly #busy = { main: 0, outside: 0 }
  #started = false
  #timer: NodeJS.Timeout | undefined
  #onIdle: (() => void)[] = []
  readonly #waits = new Waits()
  #isPoked = false
  /** When the runner's work in this turn of the event loop began. */
  #turnStartedAt: number | undefined
  /** The time of the last check for work; infinite before the first. */
  #checkedAt = Infinity
  #onRunEnd: ((report: RunReport) => void) | undefined
  /** Results of runs that are not stored yet. */
  #unstored: JobResult[] = []

  /** @param subjects tables of the rows that jobs refer to, by argument */
  constructor(
    contextOf: () => Ctx,
    clock: Clock,
    jobs: readonly Job[],
    crons: readonly CronLine[],
    subjects: SubjectTables = {},
  ) {
    this.#contextOf = contextOf
    this.#clock = clock
    this.#crons = new Crons(contextOf, clock, crons, (report) => {
      this.#onRunEnd?.(report)
      this.wake()
    })
    this.#subjects = subjects
    this.#resumingNames = jobs.filter((kind) => kind.resumes).map((kind) => kind.name)
    this.#jobs = jobHandlers(jobs, contextOf().events.all())
    this.#cancelWithOwners()
  }

  /** Cancels running work for a row when an event reports that the row was deleted. */
  #cancelWithOwners(): void {
    const { db, events } = this.#contextOf()
    const fields = new Map(events.all().map(({ event, ends }) => [event, ends]))
    events.watch((name, payload) => {
      const field = fields.get(name)
      if (field !== undefined) cancelRunsFor(db, field, (payload as Record<string, unknown>)[field])
    })
  }

  /**
   * Runs the jobs that finish interrupted work, whether due or not. Call it before the server accepts requests. Jobs that
   * have not begun within the time limit run later.
   */
  async resume(): Promise<void> {
    const { db } = this.#contextOf()
    resetInterrupted(db)
    const names = this.#resumingNames
    const deadline = performance.now() + RESUME_MS
    for (const row of readyJobs(db, names)) {
      if (performance.now() > deadline) break
      // A job that ran before may have withdrawn this one.
      if (begin(db, row.id)) await this.#perform({ ...row, attempts: row.attempts + 1 }, 'main')
    }
    makeDue(db, names, this.#now())
  }

  /** Makes interrupted jobs ready and starts. */
  start(): void {
    const { db } = this.#contextOf()
    resetInterrupted(db)
    removeDone(db, isoTime(this.#clock.now() - KEEP_DONE_DAYS * 86_400_000))
    this.#checkedAt = Infinity
    this.#started = true
    this.wake()
  }

  /** Checks for work after the current turn of the event loop, once for many callers. */
  wakeSoon(): void {
    if (this.#isPoked) return
    this.#isPoked = true
    setImmediate(() => {
      this.#isPoked = false
      this.wake()
    })
  }

  /** Looks for work now. */
  wake(): void {
    if (this.#started) {
      clearTimeout(this.#timer)
      const { observer } = this.#contextOf().db.observation
      const wait = observer ? observer.withoutRequest(() => this.#startDue()) : this.#startDue()
      this.#timer = setTimeout(() => this.wake(), Math.min(Math.max(wait, MIN_SLEEP_MS), MAX_SLEEP_MS))
      this.#timer.unref()
    }
    if (this.#isIdle()) this.#resolveIdle()
    this.#waits.resolveEnded()
  }

  #isIdle(): boolean {
    return this.#busy.main + this.#busy.outside + this.#crons.running === 0
  }

  /** Starts due work and returns the pause until the next check. After a database error it tries again. */
  #startDue(): number {
    const { db, log } = this.#contextOf()
    try {
      this.#handleClockSetBack()
      const nextCron = this.#crons.startDue()
      this.#startJobs()
      const next = nextDue(db)
      return Math.min(next ? Date.parse(next) : Infinity, nextCron) - this.#clock.now()
    } catch (error) {
      log.error({ err: error }, 'the table of jobs could not be read or written')
      return RETRY_MS
    }
  }

  /**
   * Schedules stored jobs again from now, with the same pause as before, if the clock was set back. Otherwise they would
   * wait until the clock has caught up.
   */
  #handleClockSetBack(): void {
    const now = this.#clock.now()
    if (now < this.#checkedAt - CLOCK_SLACK_MS) {
      const { db, log } = this.#contextOf()
      const jobs = reschedule(db, now)
      this.#crons.recheck()
      if (jobs > 0) log.warn({ jobs }, 'the clock went back; jobs were scheduled again')
    }
    this.#checkedAt = now
  }

  /** Stores the results of ended runs and starts due jobs, until no slot is free or nothing is due. */
  #startJobs(): void {
    const { db, events } = this.#contextOf()
    const free = { main: SLOTS.main - this.#busy.main, outside: SLOTS.outside - this.#busy.outside }
    const runningCauses = () => events.runningCauses()
    const options = { now: this.#now(), free, runningCauses, awaited: this.#waits.causes() }
    const begun = exchange(db, this.#unstored, options)
    this.#unstored = []
    for (const { row, lane } of begun) void this.#perform(row, lane)
  }

  /** Resolves when nothing is running or due. For tests and a regular stop. */
  drain(): Promise<void> {
    return new Promise((resolve) => {
      this.#onIdle.push(resolve)
      this.wake()
    })
  }

  /**
   * Resolves when no due job of the lane `main` has one of these causes, or when the signal aborts. Meanwhile these jobs
   * run before all others, so that the caller does not wait for the jobs of other requests.
   */
  awaitCauses(causes: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
    const { db } = this.#contextOf()
    const isOver = () => !hasUnfinishedFor(db, { causes, now: this.#now() })
    const end = this.#waits.until(isOver, signal, causes)
    this.wake()
    return end
  }

  /** Resolves when the due jobs of the lane `main` that are stored now have ended, or when the signal aborts. */
  awaitStored(signal: AbortSignal): Promise<void> {
    const { db } = this.#contextOf()
    const last = lastJob(db)
    this.wake()
    return this.#waits.until(() => !hasUnfinished(db, { last, now: this.#now() }), signal)
  }

  /** The first time after now at which a job or a cron line is due. Infinity if nothing is scheduled. */
  nextDue(): number {
    const next = nextDueAfter(this.#contextOf().db, this.#now())
    return Math.min(next === null ? Infinity : Date.parse(next), this.#crons.nextDue())
  }

  /** Reports every run that ends, until the returned function is called. There is one observer at a time. */
  observe(onRunEnd: (report: RunReport) => void): () => void {
    this.#onRunEnd = onRunEnd
    return () => (this.#onRunEnd = undefined)
  }

  /** Stops starting work, until `start` is called. Returns whether the running work ended within `graceMs`. */
  async pause(graceMs: number): Promise<boolean> {
    await this.stop(graceMs)
    return this.#isIdle()
  }

  /** Stops starting work and waits up to `graceMs` for running work. Unfinished jobs run again after the next start. */
  async stop(graceMs: number): Promise<void> {
    this.#started = false
    for (const end of this.#unstored.splice(0)) this.#store(end)
    clearTimeout(this.#timer)
    const idle = new Promise<void>((resolve) => (this.#isIdle() ? resolve() : this.#onIdle.push(resolve)))
    const done = Promise.all([idle, awaitRuns(this.#contextOf().db)])
    const timeout = new Promise<void>((resolve) => setTimeout(resolve, graceMs).unref())
    await Promise.race([done, timeout])
  }

  async #perform(row: JobRow, lane: Lane): Promise<void> {
    this.#busy[lane]++
    this.#recordTurnStart()
    const ctx = this.#contextOf()
    const kind = this.#jobs.get(row.name)
    const run = beginRun(ctx.db, ownersOf(row, kind?.ends))
    let isFailed = true
    try {
      if (!kind) throw new Error(`No job is called ${row.name}.`)
      // Other hosts may only receive data that a power cut cannot lose.
      const stored = lane === 'outside' ? ctx.db.stored() : undefined
      if (stored) await stored
      const { observer } = ctx.db.observation
      const jobCtx = { ...ctx, cause: causeOf(row.cause), signal: run.signal, happenedAt: row.created_at }
      const work = () => kind.run(jobCtx, JSON.parse(row.args))
      await (observer ? observer.job(row, work) : work())
      this.#store({ id: row.id, state: 'done', run_at: null, error: null })
      isFailed = false
    } catch (error) {
      if (isStopping(run.signal))
        ctx.log.info({ job: row.name, id: row.id }, 'a job was interrupted because the instance stops')
      else if (run.signal.aborted || error instanceof RunInterrupted) this.#storeCanceled(row)
      else this.#storeFailed(row, error)
    } finally {
      run.end()
      this.#onRunEnd?.({ kind: 'job', name: row.name, at: ctx.now, isFailed })
      await this.#letRequestsFirst()
      this.#busy[lane]--
      this.wakeSoon()
    }
  }

  #recordTurnStart(): void {
    if (this.#turnStartedAt !== undefined) return
    this.#turnStartedAt = performance.now()
    setImmediate(() => (this.#turnStartedAt = undefined))
  }

  /** Lets waiting requests run; otherwise a thousand jobs could run in one turn of the event loop. */
  async #letRequestsFirst(): Promise<void> {
    if (this.#turnStartedAt !== undefined && performance.now() - this.#turnStartedAt > TURN_MS)
      await nextTurn()
  }

  #storeCanceled(row: JobRow): void {
    this.#contextOf().log.info({ job: row.name, id: row.id }, 'a job was canceled')
    this.#store({ id: row.id, state: 'done', run_at: null, error: null })
  }

  #storeFailed(row: JobRow, error: unknown): void {
    const { log } = this.#contextOf()
    const text = error instanceof Error ? error.message : String(error)
    const deletedSubject = this.#deletedSubject(row)
    if (deletedSubject !== undefined) {
      log.info(
        { job: row.name, id: row.id, gone: deletedSubject, reason: text },
        'a job ended because its subject was deleted',
      )
      return this.#store({ id: row.id, state: 'done', run_at: null, error: null })
    }
    const willRetry = row.attempts <= (this.#jobs.get(row.name)?.retries ?? 0)
    const run_at = willRetry ? isoTime(this.#clock.now() + backoff(row.attempts)) : null
    this.#store({ id: row.id, state: willRetry ? 'ready' : 'failed', run_at, error: text })
    const details = { err: error, job: row.name, id: row.id, attempts: row.attempts }
    log[willRetry ? 'warn' : 'error'](details, 'job failed')
  }

  #deletedSubject(row: JobRow): string | undefined {
    try {
      return deletedSubject(this.#contextOf().db, this.#subjects, row, this.#jobs.get(row.name)?.ends)
    } catch {
      // On a database error the run is retried.
      return undefined
    }
  }

  /**
   * Stores the result of a run: while the runner is started, at the next check for work, which follows at once. On a
   * database error a later check tries again.
   */
  #store(end: JobResult): void {
    if (this.#started) return void this.#unstored.push(end)
    const { db, log } = this.#contextOf()
    try {
      storeResult(db, end, this.#now())
    } catch (error) {
      log.error({ err: error, id: end.id }, 'the result of a job could not be stored')
      this.#unstored.push(end)
    }
  }

  #resolveIdle(): void {
    const callbacks = this.#onIdle
    this.#onIdle = []
    for (const resolve of callbacks) resolve()
  }

  #now(): string {
    return isoTime(this.#clock.now())
  }
}
