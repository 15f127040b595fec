import type { Ctx } from '../ctx.ts'
import { reactionJob } from '../events/facts.ts'
import type { Clock } from '../lib/clock.ts'
import { isoTime } from '../lib/clock.ts'
import { nextRun } from '../lib/cron.ts'
import type { CronLine, Job } from './job.ts'

interface JobRow {
  id: number
  name: string
  args: string
  key: string | null
  attempts: number
}

const CONCURRENCY = 4
/** Done jobs are kept this long for the curious. */
const KEEP_DONE_DAYS = 7
/** Never sleep longer than this, so that a changed clock is noticed. */
const MAX_SLEEP_MS = 60_000

/** The next ready job whose key is free: the oldest of its key, and none of that key is running. */
const CLAIM = `
  UPDATE jobs SET state = 'running', attempts = attempts + 1
  WHERE id = (
    SELECT j.id FROM jobs j
    WHERE j.state = 'ready' AND j.run_at <= ?
      AND (j.key IS NULL OR (
        NOT EXISTS (SELECT 1 FROM jobs r WHERE r.state = 'running' AND r.key = j.key)
        AND NOT EXISTS (SELECT 1 FROM jobs e WHERE e.state = 'ready' AND e.key = j.key AND e.id < j.id)))
    ORDER BY j.run_at, j.id LIMIT 1)
  RETURNING id, name, args, key, attempts`

/** Pause before attempt n + 1: 1 s, 4 s, 16 s, 64 s, … at most an hour. */
function backoff(attempts: number): number {
  return Math.min(4 ** (attempts - 1) * 1000, 3_600_000)
}

/**
 * Runs stored jobs and cron lines in this process. One process, so there are no leases: what was `running` at start
 * was interrupted and is ready again.
 */
export class JobRunner {
  readonly #contextOf: () => Ctx
  readonly #clock: Clock
  readonly #jobs: ReadonlyMap<string, Pick<Job, 'retries'> & { run(ctx: Ctx, args: unknown): unknown }>
  readonly #crons: readonly CronLine[]
  #running = 0
  #started = false
  #timer: NodeJS.Timeout | undefined
  #idle: (() => void)[] = []

  constructor(contextOf: () => Ctx, clock: Clock, jobs: readonly Job[], crons: readonly CronLine[]) {
    this.#contextOf = contextOf
    this.#clock = clock
    this.#crons = crons
    const table = new Map<string, Pick<Job, 'retries'> & { run(ctx: Ctx, args: unknown): unknown }>()
    for (const kind of jobs) {
      table.set(kind.name, {
        retries: kind.retries,
        run: (ctx, args) => kind.run(ctx, kind.args.parse(args)),
      })
    }
    for (const subscription of contextOf().facts.all()) {
      table.set(reactionJob(subscription.name), { retries: subscription.retries, run: subscription.run })
    }
    this.#jobs = table
  }

  /** Takes up interrupted work and begins. */
  start(): void {
    const { db } = this.#contextOf()
    // Two ready jobs may not share a `once`; the interrupted one gives it up.
    db.exec("UPDATE jobs SET state = 'ready', once = NULL WHERE state = 'running'")
    db.exec(
      "DELETE FROM jobs WHERE state = 'done' AND finished_at < ?",
      isoTime(this.#clock.now() - KEEP_DONE_DAYS * 86_400_000),
    )
    this.#started = true
    this.poke()
  }

  /** Looks for work now. */
  poke(): void {
    if (!this.#started) return
    this.#startDueCrons()
    while (this.#running < CONCURRENCY) {
      const row = this.#contextOf().db.one<JobRow>(CLAIM, isoTime(this.#clock.now()))
      if (!row) break
      void this.#perform(row)
    }
    this.#sleep()
    if (this.#running === 0) this.#settle()
  }

  /** Resolves once nothing is running and nothing is due. For tests and an orderly stop. */
  drain(): Promise<void> {
    return new Promise((resolve) => {
      this.#idle.push(resolve)
      this.poke()
    })
  }

  /** Stops taking work and waits for what runs, at most `graceMs`; the rest is ready again at the next start. */
  async stop(graceMs: number): Promise<void> {
    this.#started = false
    clearTimeout(this.#timer)
    if (this.#running === 0) return
    const done = new Promise<void>((resolve) => this.#idle.push(resolve))
    const late = new Promise<void>((resolve) => setTimeout(resolve, graceMs).unref())
    await Promise.race([done, late])
  }

  async #perform(row: JobRow): Promise<void> {
    this.#running++
    const ctx = this.#contextOf()
    try {
      const kind = this.#jobs.get(row.name)
      if (!kind) throw new Error(`No job is called ${row.name}.`)
      await kind.run(ctx, JSON.parse(row.args))
      ctx.db.exec(
        "UPDATE jobs SET state = 'done', finished_at = ?, error = NULL WHERE id = ?",
        this.#now(),
        row.id,
      )
    } catch (error) {
      this.#failed(row, error)
    } finally {
      this.#running--
      if (this.#started) this.poke()
      else if (this.#running === 0) this.#settle()
    }
  }

  #failed(row: JobRow, error: unknown): void {
    const { db, log } = this.#contextOf()
    const text = error instanceof Error ? error.message : String(error)
    const retries = this.#jobs.get(row.name)?.retries ?? 0
    const again = row.attempts <= retries
    const runAt = isoTime(this.#clock.now() + backoff(row.attempts))
    try {
      // A retry gives up its `once`: another of its kind may be waiting already.
      if (again)
        db.exec(
          "UPDATE jobs SET state = 'ready', once = NULL, run_at = ?, error = ? WHERE id = ?",
          runAt,
          text,
          row.id,
        )
      else
        db.exec(
          "UPDATE jobs SET state = 'failed', finished_at = ?, error = ? WHERE id = ?",
          this.#now(),
          text,
          row.id,
        )
    } catch (second) {
      log.error({ err: second, job: row.name, id: row.id }, 'the state of a job could not be stored')
    }
    log[again ? 'warn' : 'error'](
      { err: error, job: row.name, id: row.id, attempts: row.attempts },
      'job failed',
    )
  }

  #startDueCrons(): void {
    const ctx = this.#contextOf()
    for (const line of this.#crons) {
      const last = ctx.db.one<{ last_run_at: string }>(
        'SELECT last_run_at FROM cron_runs WHERE name = ?',
        line.name,
      )
      const due = last ? (nextRun(line.pattern, Date.parse(last.last_run_at)) ?? Infinity) : 0
      if (due > this.#clock.now()) continue
      const upsert =
        'INSERT INTO cron_runs (name, last_run_at) VALUES (?, ?) ON CONFLICT DO UPDATE SET last_run_at = excluded.last_run_at'
      ctx.db.exec(upsert, line.name, ctx.now)
      if (!last) continue
      this.#running++
      Promise.resolve()
        .then(() => line.run(ctx))
        .catch((error: unknown) => ctx.log.error({ err: error, cron: line.name }, 'recurring work failed'))
        .finally(() => {
          this.#running--
          if (this.#running === 0) this.#settle()
        })
    }
  }

  #sleep(): void {
    clearTimeout(this.#timer)
    const { db } = this.#contextOf()
    const next = db.one<{ run_at: string | null }>(
      "SELECT min(run_at) AS run_at FROM jobs WHERE state = 'ready'",
    )
    const wait = next?.run_at ? Date.parse(next.run_at) - this.#clock.now() : MAX_SLEEP_MS
    this.#timer = setTimeout(() => this.poke(), Math.min(Math.max(wait, 50), MAX_SLEEP_MS))
    this.#timer.unref()
  }

  #settle(): void {
    const waiting = this.#idle
    this.#idle = []
    for (const resolve of waiting) resolve()
  }

  #now(): string {
    return isoTime(this.#clock.now())
  }
}
