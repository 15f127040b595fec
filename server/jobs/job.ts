import type { z } from 'zod'

import type { Ctx } from '../ctx.ts'
import { causeText } from '../lib/cause.ts'
import { objectSchema } from '../lib/object-schema.ts'
import { insertJob, removeUnfinished } from './store.ts'

/** A kind of background work. Shallow by rule: read the arguments (ids only), load, call a service. Idempotent. */
export interface Job<Args = unknown> {
  readonly name: string
  readonly args: z.ZodType<Args>
  /** How often a failed run is tried again, with growing pauses. */
  readonly retries: number
  readonly lane: Lane
  /**
   * It finishes what was cut off. Stored with what is begun, due when that has long ended; after a crash nobody is
   * left to wait for, so it runs before anybody is served.
   */
  readonly resumes: boolean
  run(ctx: Ctx, args: Args): void | Promise<void>
}

/**
 * Where a job waits for a place. `outside` is for work that waits for other hosts, which may hang: it has places of its
 * own, so that everything else goes on.
 */
export type Lane = 'main' | 'outside'

/**
 * A job without its work: enough to enqueue it. Code that the work itself calls, and that enqueues the job again,
 * imports the kind and not the job.
 */
export type JobKind<Args> = Omit<Job<Args>, 'run'>

interface JobOptions<Shape> {
  args: Shape
  retries?: number
  lane?: Lane
  resumes?: boolean
}

/** Declares a kind of job; `jobOf` adds the work. */
export function jobKind<const Shape extends z.ZodRawShape>(
  name: string,
  options: JobOptions<Shape>,
): JobKind<z.output<z.ZodObject<Shape>>> {
  const args = objectSchema(options.args)
  const { retries = 5, lane = 'main', resumes = false } = options
  return { name, args, retries, lane, resumes }
}

/** The job of a kind. */
export function jobOf<Args>(kind: JobKind<Args>, run: Job<Args>['run']): Job<Args> {
  return { ...kind, run }
}

/** Declares a job: `job('repository.housekeeping', { args: { project_id: z.number() } }, (ctx, args) => …)`. */
export function job<const Shape extends z.ZodRawShape>(
  name: string,
  options: JobOptions<Shape>,
  run: (ctx: Ctx, args: z.output<z.ZodObject<Shape>>) => void | Promise<void>,
): Job<z.output<z.ZodObject<Shape>>> {
  return jobOf(jobKind(name, options), run)
}

/** Work that comes back by the clock. Missed runs (the machine was off) happen once, at the next start. */
export interface CronLine {
  readonly name: string
  /** Five fields, UTC. */
  readonly pattern: string
  run(ctx: Ctx): void | Promise<void>
}

/** Declares recurring work: `cron('auth.expire_sessions', '17 3 * * *', (ctx) => …)`. */
export function cron(name: string, pattern: string, run: CronLine['run']): CronLine {
  return { name, pattern, run }
}

/** How a job is put into the queue. */
export interface EnqueueOptions {
  /** Jobs with the same key run one at a time and in order. */
  key?: string
  /** Not added while a ready job with the same value waits. */
  once?: string
  /** Milliseconds to wait. */
  delay?: number
}

/** Stores a job; inside a transaction it becomes real with the commit. */
export function enqueue<Args>(ctx: Ctx, kind: JobKind<Args>, args: Args, options: EnqueueOptions = {}): void {
  const runAt = options.delay ? new Date(Date.parse(ctx.now) + options.delay).toISOString() : ctx.now
  insertJob(ctx.db, {
    name: kind.name,
    args: JSON.stringify(kind.args.parse(args)),
    key: options.key ?? null,
    once: options.once ?? null,
    run_at: runAt,
    created_at: ctx.now,
    lane: kind.lane,
    cause: causeText(ctx.cause),
  })
  ctx.db.afterCommit(() => ctx.events.poke())
}

/**
 * Takes a job back, begun or not; inside a transaction together with the commit. True where there was one: of two who
 * take it back, one gets it.
 */
export function withdraw<Args>(ctx: Pick<Ctx, 'db'>, kind: JobKind<Args>, args: Args): boolean {
  const text = JSON.stringify(kind.args.parse(args))
  return removeUnfinished(ctx.db, kind.name, text) > 0
}
