import type { z } from 'zod'

import type { Ctx } from '../ctx.ts'
import { causeText } from '../lib/cause.ts'
import { objectSchema } from '../lib/object-schema.ts'
import { insertJob, removeUnfinished } from './store.ts'

/**
 * A kind of background work. `run` reads the arguments (ids only), loads rows and calls a service. It has to be
 * idempotent.
 */
export interface Job<Args = unknown> {
  readonly name: string
  readonly args: z.ZodType<Args>
  /** The number of retries of a failed run, with growing pauses. */
  readonly retries: number
  readonly lane: Lane
  /**
   * True for a job that finishes interrupted work. It is stored together with the work and due after the work has
   * normally ended. After a crash it runs before the server accepts requests.
   */
  readonly resumes: boolean
  run(ctx: Ctx, args: Args): void | Promise<void>
}

/**
 * The queue of a job. `outside` is for jobs that wait for other hosts; it has its own slots, so that a hanging host
 * blocks nothing else.
 */
export type Lane = 'main' | 'outside'

/** A job without `run`, enough to enqueue it. Code that `run` itself calls imports the kind, to avoid a circle. */
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

/** Recurring work. Missed runs (the machine was off) happen once, at the next start. */
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

/** Options of a stored job. */
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
  const text = JSON.stringify(kind.args.parse(args))
  const runAt = options.delay ? new Date(Date.parse(ctx.now) + options.delay).toISOString() : ctx.now
  insertJob(ctx.db, {
    name: kind.name,
    args: text,
    key: options.key ?? null,
    once: options.once ?? null,
    run_at: runAt,
    created_at: ctx.now,
    lane: kind.lane,
    cause: causeText(ctx.cause),
  })
  ctx.db.afterCommit(() => {
    ctx.events.poke()
    ctx.db.observation.observer?.enqueued(kind.name, text)
  })
}

/**
 * Removes a job, ready or running, together with the transaction. Returns true when there was one; of two callers one
 * gets true.
 */
export function withdraw<Args>(ctx: Pick<Ctx, 'db'>, kind: JobKind<Args>, args: Args): boolean {
  const text = JSON.stringify(kind.args.parse(args))
  return removeUnfinished(ctx.db, kind.name, text) > 0
}
