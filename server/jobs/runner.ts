import { performance } from 'node:perf_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'

import type { Ctx } from '../ctx.ts'
import { subscriberJob } from '../events/publish.ts'
import type { Clock } from '../lib/clock.ts'
import { isoTime } from '../lib/clock.ts'
import { nextRun } from '../lib/cron.ts'
import { causeOf } from '../lib/cause.ts'
import type { CronLine, Job, Lane } from './job.ts'
import {
  backoff,
  begin,
  claim,
  cronRuns,
  goneSubject,
  makeDue,
  nextDue,
  planAnew,
  readyJobs,
  removeDone,
  storeCronRun,
  storeEnd,
  takeBack,
  type JobEnd,
  type JobRow,
  type Subjects,
} from './store.ts'

/** How many jobs of a lane run at once. Those of `outside` mostly wait. */
const SLOTS: Readonly<Record<Lane, number>> = { main: 4, outside: 8 }
const LANES = ['main', 'outside'] as const
/** How much recurring work runs at once: after a night, or a clock that jumped ahead, all of it is due. */
const CRON_SLOTS = 4
/** Done jobs are kept this long for the curious. */
const KEEP_DONE_DAYS = 7
/** Ready jobs may wait for one of their key; there is no need to look all the time. */
const MIN_SLEEP_MS = 50
/** Pause after the table of jobs could not be used. */
const RETRY_MS = 1000
/** Never sleep longer than this, so that a changed clock is noticed. */
const MAX_SLEEP_MS = 60_000
/** Clocks are corrected by moments all the time. */
const CLOCK_SLACK_MS = 1000

/** Most subscribers never wait for anything. After this long the runner lets requests go first. */
const TURN_MS = 20

/** What is known of a kind of job. */
type Kind = Pick<Job, 'retries'> & {
  readonly ends?: string | undefined
  run(ctx: Ctx, args: unknown): unknown
}

/** How long the start waits for what is being finished. */
const RESUME_MS = 10_000

/**
 * Runs stored jobs and cron lines in this process. One process, so there are no leases: what was `running` at start
 * was interrupted and is ready again.
 */
export class JobRunner {
  readonly #contextOf: () => Ctx
  readonly #clock: Clock
  readonly #jobs: ReadonlyMap<string, Kind>
  /** Names of the jobs that finish what was cut off. */
  readonly #resuming: readonly string[]
  readonly #crons: readonly CronLine[]
  readonly #subjects: Subjects
  /** What runs: the jobs of each lane, and recurring work. */
  readonly #busy = { main: 0, outside: 0, cron: 0 }
  #started = false
  #timer: NodeJS.Timeout | undefined
  #idle: (() => void)[] = []
  #isPoked = false
  /** When the runner's part of the present turn of the event loop began. */
  #turn: number | undefined
  /** When recurring work is due after it last ran. Jobs ask for it by the hundred, and it takes long to work out. */
  readonly #due = new Map<string, { readonly last: string; readonly due: number }>()
  /** The time at the last look; none was so far. */
  #seen = Infinity
  /** Ends of runs that the disk has not taken yet. */
  #unstored: JobEnd[] = []

  /** @param subjects tables of what jobs are about, by the argument that names a row */
  constructor(
    contextOf: () => Ctx,
    clock: Clock,
    jobs: readonly Job[],
    crons: readonly CronLine[],
    subjects: Subjects = {},
  ) {
    this.#contextOf = contextOf
    this.#clock = clock
    this.#crons = crons
    this.#subjects = subjects
    this.#resuming = jobs.filter((kind) => kind.resumes).map((kind) => kind.name)
    const table = new Map<string, Kind>()
    for (const kind of jobs) {
      table.set(kind.name, {
        retries: kind.retries,
        run: (ctx, args) => kind.run(ctx, kind.args.parse(args)),
      })
    }
    for (const subscription of contextOf().events.all()) {
      const { retries, ends, run } = subscription
      table.set(subscriberJob(subscription.name), { retries, ends, run })
    }
    this.#jobs = table
  }

  /**
   * Takes up what was interrupted and runs the jobs that finish what was cut off, whenever they are due: whoever they waited
   * for has ended. To be called before anybody is served. What takes too long goes on afterwards.
   */
  async resume(): Promise<void> {
    const { db } = this.#contextOf()
    takeBack(db)
    const names = this.#resuming
    const until = performance.now() + RESUME_MS
    for (const row of readyJobs(db, names)) {
      if (performance.now() > until) break
      // One of them may have done the work of another.
      if (begin(db, row.id)) await this.#perform({ ...row, attempts: row.attempts + 1 }, 'main')
    }
    makeDue(db, names, this.#now())
  }

  /** Takes up interrupted work and begins. */
  start(): void {
    const { db } = this.#contextOf()
    takeBack(db)
    removeDone(db, isoTime(this.#clock.now() - KEEP_DONE_DAYS * 86_400_000))
    this.#started = true
    this.poke()
  }

  /** Looks for work as soon as what is going on has come to a stop: many ask for it at a time. */
  pokeSoon(): void {
    if (this.#isPoked) return
    this.#isPoked = true
    setImmediate(() => {
      this.#isPoked = false
      this.poke()
    })
  }

  /** Looks for work now. */
  poke(): void {
    if (this.#started) {
      clearTimeout(this.#timer)
      const wait = this.#takeUp()
      this.#timer = setTimeout(() => this.poke(), Math.min(Math.max(wait, MIN_SLEEP_MS), MAX_SLEEP_MS))
      this.#timer.unref()
    }
    if (this.#isIdle()) this.#settle()
  }

  #isIdle(): boolean {
    return this.#busy.main + this.#busy.outside + this.#busy.cron === 0
  }

  /** Starts what is due, and says for how long there is nothing else to do. A full disk only makes it come back. */
  #takeUp(): number {
    const { db, log } = this.#contextOf()
    try {
      for (const end of this.#unstored.splice(0)) this.#store(end)
      this.#followClock()
      const nextCron = this.#startDueCrons()
      for (const lane of LANES) this.#fill(lane)
      const next = nextDue(db)
      return Math.min(next ? Date.parse(next) : Infinity, nextCron) - this.#clock.now()
    } catch (error) {
      log.error({ err: error }, 'the table of jobs could not be read or written')
      return RETRY_MS
    }
  }

  /**
   * Where the clock went back, also while nothing ran, what was stored before lies ahead of it, and would wait until it
   * has caught up: that is planned anew from now, with the pause that it was to have.
   */
  #followClock(): void {
    const now = this.#clock.now()
    if (now < this.#seen - CLOCK_SLACK_MS) {
      const { db, log } = this.#contextOf()
      const jobs = planAnew(db, now)
      if (jobs > 0) log.warn({ jobs }, 'the clock went back; jobs were planned anew')
    }
    this.#seen = now
  }

  /** Takes jobs until the lane has no free slot or nothing is due. */
  #fill(lane: Lane): void {
    const { db, events } = this.#contextOf()
    while (this.#busy[lane] < SLOTS[lane]) {
      const row = claim(db, { lane, now: this.#now(), underWay: () => events.causesUnderWay() })
      if (!row) return
      void this.#perform(row, lane)
    }
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
    if (this.#isIdle()) return
    const done = new Promise<void>((resolve) => this.#idle.push(resolve))
    const late = new Promise<void>((resolve) => setTimeout(resolve, graceMs).unref())
    await Promise.race([done, late])
  }

  async #perform(row: JobRow, lane: Lane): Promise<void> {
    this.#busy[lane]++
    this.#noteTurn()
    try {
      const kind = this.#jobs.get(row.name)
      if (!kind) throw new Error(`No job is called ${row.name}.`)
      await kind.run({ ...this.#contextOf(), cause: causeOf(row.cause) }, JSON.parse(row.args))
      this.#store({ id: row.id, state: 'done', run_at: null, error: null })
    } catch (error) {
      this.#failed(row, error)
    } finally {
      await this.#giveWay()
      this.#busy[lane]--
      this.pokeSoon()
    }
  }

  #noteTurn(): void {
    if (this.#turn !== undefined) return
    this.#turn = performance.now()
    setImmediate(() => (this.#turn = undefined))
  }

  /** Without it a thousand jobs at once would run in one turn of the event loop, and requests would wait for all of them. */
  async #giveWay(): Promise<void> {
    if (this.#turn !== undefined && performance.now() - this.#turn > TURN_MS) await nextTurn()
  }

  #failed(row: JobRow, error: unknown): void {
    const { log } = this.#contextOf()
    const text = error instanceof Error ? error.message : String(error)
    const gone = this.#goneSubject(row)
    if (gone !== undefined) {
      log.info(
        { job: row.name, id: row.id, gone, reason: text },
        'a job ended because what it is about is gone',
      )
      return this.#store({ id: row.id, state: 'done', run_at: null, error: null })
    }
    const again = row.attempts <= (this.#jobs.get(row.name)?.retries ?? 0)
    const run_at = again ? isoTime(this.#clock.now() + backoff(row.attempts)) : null
    this.#store({ id: row.id, state: again ? 'ready' : 'failed', run_at, error: text })
    const details = { err: error, job: row.name, id: row.id, attempts: row.attempts }
    log[again ? 'warn' : 'error'](details, 'job failed')
  }

  #goneSubject(row: JobRow): string | undefined {
    try {
      return goneSubject(this.#contextOf().db, this.#subjects, row, this.#jobs.get(row.name)?.ends)
    } catch {
      // The disk refuses; then the run is tried again.
      return undefined
    }
  }

  /** Stores how a run ended; what the disk does not take is stored at the next look. */
  #store(end: JobEnd): void {
    const { db, log } = this.#contextOf()
    try {
      storeEnd(db, end, this.#now())
    } catch (error) {
      log.error({ err: error, id: end.id }, 'the end of a job could not be stored')
      this.#unstored.push(end)
    }
  }

  /** Starts the lines that are due, and says when the next one is. */
  #startDueCrons(): number {
    const ctx = this.#contextOf()
    const lasts = cronRuns(ctx.db)
    let next = Infinity
    for (const line of this.#crons) {
      const last = lasts.get(line.name)
      const isDue = last === undefined || this.#dueAfter(line, last) <= this.#clock.now()
      next = Math.min(next, this.#dueAfter(line, isDue ? ctx.now : last))
      if (!isDue) continue
      if (last !== undefined && this.#busy.cron >= CRON_SLOTS) continue
      storeCronRun(ctx.db, line.name, ctx.now)
      if (last === undefined) continue
      this.#busy.cron++
      Promise.resolve()
        .then(() => line.run(ctx))
        .catch((error: unknown) => ctx.log.error({ err: error, cron: line.name }, 'recurring work failed'))
        .finally(() => {
          this.#busy.cron--
          this.poke()
        })
    }
    return next
  }

  #dueAfter({ name, pattern }: CronLine, last: string): number {
    const known = this.#due.get(name)
    if (known?.last === last) return known.due
    const due = nextRun(pattern, Date.parse(last)) ?? Infinity
    this.#due.set(name, { last, due })
    return due
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
