import type { Ctx } from '../ctx.ts'
import { subscriberJob, type Subscription } from '../events/publish.ts'
import type { Job } from './job.ts'

/** What the runner needs to run a stored job, which it finds by the job's name. */
export type JobHandler = Pick<Job, 'retries'> & {
  readonly ends?: string | undefined
  run(ctx: Ctx, args: unknown): unknown
}

/** The handlers of all jobs, by name: the declared jobs, and one for each subscriber. */
export function jobHandlers(
  jobs: readonly Job[],
  subscriptions: readonly Subscription[],
): ReadonlyMap<string, JobHandler> {
  const handlers = new Map<string, JobHandler>()
  for (const kind of jobs) {
    handlers.set(kind.name, {
      retries: kind.retries,
      run: (ctx, args) => kind.run(ctx, kind.args().parse(args)),
    })
  }
  for (const { name, retries, ends, run } of subscriptions)
    handlers.set(subscriberJob(name), { retries, ends, run })
  return handlers
}
