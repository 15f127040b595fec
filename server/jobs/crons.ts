import type { Ctx } from '../ctx.ts'
import type { Clock } from '../lib/clock.ts'
import { nextRun } from '../lib/cron.ts'
import type { CronLine } from './job.ts'
import { cronRuns, storeCronRuns } from './store.ts'

/** The report on a job or cron line that has run. */
export interface RunReport {
  readonly kind: 'job' | 'cron'
  readonly name: string
  /** When the run began. */
  readonly at: string
  readonly isFailed: boolean
}

/**
 * The maximum number of cron lines that run at the same time. After a pause or a change of the clock all of them may be
 * due.
 */
const CRON_SLOTS = 4

/** Starts recurring work when it is due. */
export class Crons {
  readonly #contextOf: () => Ctx
  readonly #clock: Clock
  readonly #lines: readonly CronLine[]
  readonly #onRunEnd: (report: RunReport) => void
  /** The next due time by cron line. Cached, because it is needed often and slow to compute. */
  readonly #due = new Map<string, { readonly lastRun: string; readonly due: number }>()
  #running = 0
  /**
   * The time until which no line of this database is due. Cached, because the runner calls `startDue` after each job, and
   * reading all lines takes longer than many jobs.
   */
  #idle: { readonly db: Ctx['db']; readonly until: number } | undefined

  constructor(
    contextOf: () => Ctx,
    clock: Clock,
    lines: readonly CronLine[],
    onRunEnd: (report: RunReport) => void,
  ) {
    this.#contextOf = contextOf
    this.#clock = clock
    this.#lines = lines
    this.#onRunEnd = onRunEnd
  }

  get running(): number {
    return this.#running
  }

  /** Starts due lines and returns when the next one is due. */
  startDue(): number {
    const ctx = this.#contextOf()
    const idle = this.#idle
    if (idle?.db === ctx.db && this.#clock.now() < idle.until) return idle.until
    const lastRuns = cronRuns(ctx.db)
    let next = Infinity
    let hasWaiting = false
    const due: { line: CronLine; isFirst: boolean }[] = []
    let slots = CRON_SLOTS - this.#running
    for (const line of this.#lines) {
      const lastRun = lastRuns.get(line.name)
      const isDue = lastRun === undefined || this.#dueAfter(line, lastRun) <= this.#clock.now()
      next = Math.min(next, this.#dueAfter(line, isDue ? ctx.now : lastRun))
      if (!isDue) continue
      const isFirst = lastRun === undefined
      if (!isFirst && slots <= 0) {
        hasWaiting = true
        continue
      }
      if (!isFirst) slots--
      due.push({ line, isFirst })
    }
    const names = due.map(({ line }) => line.name)
    storeCronRuns(ctx.db, names, ctx.now)
    for (const { line, isFirst } of due) if (!isFirst) void this.#run(ctx, line)
    this.#idle = hasWaiting ? undefined : { db: ctx.db, until: next }
    return next
  }

  /** Makes the next `startDue` read all lines. Called when the clock went back and stored runs were changed. */
  recheck(): void {
    this.#idle = undefined
  }

  /** When the next cron line is due. Lines that have never run are not counted. */
  nextDue(): number {
    const lastRuns = cronRuns(this.#contextOf().db)
    const dueTimes = this.#lines.map((line) => {
      const lastRun = lastRuns.get(line.name)
      return lastRun === undefined ? Infinity : this.#dueAfter(line, lastRun)
    })
    return Math.min(...dueTimes, Infinity)
  }

  async #run(ctx: Ctx, line: CronLine): Promise<void> {
    this.#running++
    let isFailed = false
    try {
      // Asynchronous work of a line must not begin while the other lines are checked.
      await Promise.resolve()
      await line.run(ctx)
    } catch (error) {
      isFailed = true
      ctx.log.error({ err: error, cron: line.name }, 'recurring work failed')
    }
    this.#running--
    this.#onRunEnd({ kind: 'cron', name: line.name, at: ctx.now, isFailed })
  }

  #dueAfter({ name, pattern }: CronLine, lastRun: string): number {
    const existing = this.#due.get(name)
    if (existing?.lastRun === lastRun) return existing.due
    const due = nextRun(pattern, Date.parse(lastRun)) ?? Infinity
    this.#due.set(name, { lastRun, due })
    return due
  }
}
