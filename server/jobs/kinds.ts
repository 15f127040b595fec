import type { Ctx } from '../ctx.ts'
import { subscriberJob, type Subscription } from '../events/publish.ts'
import type { Job } from './job.ts'

/** The data of a job that the runner finds by its name. */
export type Kind = Pick<Job, 'retries'> & {
  readonly ends?: string | undefined
  run(ctx: Ctx, args: unknown): unknown
}

/** All kinds of jobs: the declared ones, and one for each subscriber. */
export function kindsOf(
  jobs: readonly Job[],
  subscriptions: readonly Subscription[],
): ReadonlyMap<string, Kind> {
  const table = new Map<string, Kind>()
  for (const kind of jobs) {
    table.set(kind.name, {
      retries: kind.retries,
      run: (ctx, args) => kind.run(ctx, kind.args.parse(args)),
    })
  }
  for (const { name, retries, ends, run } of subscriptions)
    table.set(subscriberJob(name), { retries, ends, run })
  return table
}
