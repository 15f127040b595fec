import type { z } from 'zod'

import type { Ctx } from '../ctx.ts'
import { causeText } from '../lib/cause.ts'
import { lazyObjectSchema } from '../lib/object-schema.ts'
import { insertJob, removeUnfinished } from './store.ts'

/**
 * A kind of background work. `run` gets the arguments (IDs only), loads rows and calls a service. It must be
 * idempotent, because an interrupted job runs again.
 */
export interface Job<Args = unknown> {
  readonly name: string
  readonly args: () => z.ZodType<Args>
  /** The number of retries of a failed run, with growing pauses. */
  readonly retries: number
  readonly lane: Lane
  /**
   * Whether the job finishes interrupted work. It is stored when that work begins, with a delay after which the work has
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

/** A job without `run`, enough to enqueue it. Code that `run` calls imports only the kind, to avoid circular imports. */
export type JobKind<Args> = Omit<Job<Args>, 'run'>

interface JobOptions<Shape> {
  args: Shape
  retries?: number
  lane?: Lane
  resumes?: boolean
}

/** Declares a kind of job; `jobOf` adds its `run`. */
export function jobKind<const Shape extends z.ZodRawShape>(
  name: string,
  options: JobOptions<Shape>,
): JobKind<z.output<z.ZodObject<Shape>>> {
  const args = lazyObjectSchema(options.args)
  const { retries = 5, lane = 'main', resumes = false } = options
  return { name, args, retries, lane, resumes }
}

/** Makes a job of its kind and its `run`. */
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

/** Recurring work. If runs were missed while the machine was off, it runs once at the next start. */
export interface CronLine {
  readonly name: string
  /** Cron expression with five fields, in UTC. */
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
  /** The job is not stored while a ready job with the same value waits. */
  once?: string
  /** Milliseconds until the job is due. */
  delay?: number
}

/** Stores a job. In a transaction it takes effect with the commit. */
export function enqueue<Args>(ctx: Ctx, kind: JobKind<Args>, args: Args, options: EnqueueOptions = {}): void {
  const argsJson = JSON.stringify(kind.args().parse(args))
  const runAt = options.delay ? new Date(Date.parse(ctx.now) + options.delay).toISOString() : ctx.now
  insertJob(ctx.db, {
    name: kind.name,
    args: argsJson,
    key: options.key ?? null,
    once: options.once ?? null,
    run_at: runAt,
    created_at: ctx.now,
    lane: kind.lane,
    cause: causeText(ctx.cause),
  })
  ctx.db.afterCommit(() => {
    ctx.events.wakeJobRunner()
    ctx.db.observation.observer?.enqueued(kind.name, argsJson)
  })
}

/**
 * Removes a ready or running job. In a transaction it takes effect with the commit. Returns whether the job existed, so
 * only one of two concurrent callers gets true.
 */
export function withdraw<Args>(ctx: Pick<Ctx, 'db'>, kind: JobKind<Args>, args: Args): boolean {
  const argsJson = JSON.stringify(kind.args().parse(args))
  return removeUnfinished(ctx.db, kind.name, argsJson) > 0
}
