import type { Ctx } from '../ctx.ts'
import type { Clock } from '../lib/clock.ts'
import { nextRun } from '../lib/cron.ts'
import type { CronLine } from './job.ts'
import { cronRuns, storeCronRun } from './store.ts'

/** The end of a run. */
export interface RunNote {
  readonly kind: 'job' | 'cron'
  readonly name: string
  /** When it began. */
  readonly at: string
  readonly isFailed: boolean
}

/**
 * The maximum number of cron lines that run at the same time. After a pause or a change of the clock, all of them are
 * due.
 */
const CRON_SLOTS = 4

/** Starts recurring work when it is due. */
export class Crons {
  readonly #contextOf: () => Ctx
  readonly #clock: Clock
  readonly #lines: readonly CronLine[]
  readonly #report: { ended(): void; noted(note: RunNote): void }
  /** Next run by cron line. Cached, because it is needed often and slow to compute. */
  readonly #due = new Map<string, { readonly last: string; readonly due: number }>()
  #running = 0
  /** Until when no line is due. The runner asks after each job; reading all lines would cost more than many jobs do. */
  #idleUntil: { readonly db: Ctx['db']; readonly time: number } | undefined

  /** @param report called at the end of each run */
  constructor(
    contextOf: () => Ctx,
    clock: Clock,
    lines: readonly CronLine[],
    report: { ended(): void; noted(note: RunNote): void },
  ) {
    this.#contextOf = contextOf
    this.#clock = clock
    this.#lines = lines
    this.#report = report
  }

  get running(): number {
    return this.#running
  }

  /** Starts due lines and returns when the next one is due. */
  startDue(): number {
    const ctx = this.#contextOf()
    const idle = this.#idleUntil
    if (idle?.db === ctx.db && this.#clock.now() < idle.time) return idle.time
    const lasts = cronRuns(ctx.db)
    let next = Infinity
    let hasWaiting = false
    for (const line of this.#lines) {
      const last = lasts.get(line.name)
      const isDue = last === undefined || this.#dueAfter(line, last) <= this.#clock.now()
      next = Math.min(next, this.#dueAfter(line, isDue ? ctx.now : last))
      if (!isDue) continue
      if (last !== undefined && this.#running >= CRON_SLOTS) {
        hasWaiting = true
        continue
      }
      storeCronRun(ctx.db, line.name, ctx.now)
      if (last !== undefined) void this.#run(ctx, line)
    }
    this.#idleUntil = hasWaiting ? undefined : { db: ctx.db, time: next }
    return next
  }

  /** Call it after stored runs were changed, because the clock went back. */
  recheck(): void {
    this.#idleUntil = undefined
  }

  /** When the next line is due that has run before. */
  next(): number {
    const lasts = cronRuns(this.#contextOf().db)
    const dues = this.#lines.map((line) => {
      const last = lasts.get(line.name)
      return last === undefined ? Infinity : this.#dueAfter(line, last)
    })
    return Math.min(...dues, Infinity)
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
    this.#report.noted({ kind: 'cron', name: line.name, at: ctx.now, isFailed })
    this.#report.ended()
  }

  #dueAfter({ name, pattern }: CronLine, last: string): number {
    const existing = this.#due.get(name)
    if (existing?.last === last) return existing.due
    const due = nextRun(pattern, Date.parse(last)) ?? Infinity
    this.#due.set(name, { last, due })
    return due
  }
}
