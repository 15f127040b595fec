import type { Ctx } from '../../../ctx.ts'
import type { JobRow } from '../jobs/store.ts'
import { runnersFor } from './store-queue.ts'

/** The time in milliseconds after which a queue value expires, so that every runner checks the queue now and then. */
const LIFETIME_MS = 3_600_000

/** Ends a held request of a runner. `changedAt` is the time of the change, or undefined if there was none. */
type WakeCallback = (changedAt: string | undefined) => void

/** The queue of a runner. */
interface RunnerQueue {
  value: string
  /** When the value was created. */
  since: string
  /** The held requests of the runner. */
  readonly waiting: Set<WakeCallback>
}

interface Queues {
  /** The queues by the ID of the runner. */
  readonly byRunner: Map<number, RunnerQueue>
  /** The jobs that became pending since the last check: one for each combination of project, protection and tags. */
  readonly newJobs: Map<string, { readonly id: number; readonly now: string }>
  isClosed: boolean
}

/** The queues of an instance. They are not stored, so every runner checks its queue after a restart. */
function queuesOf({ db }: Pick<Ctx, 'db'>): Queues {
  return db.instance('ci.runner_queues', (): Queues => ({
    byRunner: new Map(),
    newJobs: new Map(),
    isClosed: false,
  }))
}

/** The value of a runner's queue. It changes when there may be a new job for the runner. */
export function queueValue(ctx: Pick<Ctx, 'db' | 'now' | 'random'>, runnerId: number): string {
  const { byRunner } = queuesOf(ctx)
  const queue = byRunner.get(runnerId)
  if (queue && Date.parse(ctx.now) - Date.parse(queue.since) < LIFETIME_MS) return queue.value
  const value = ctx.random.hex(16)
  if (queue) Object.assign(queue, { value, since: ctx.now })
  else byRunner.set(runnerId, { value, since: ctx.now, waiting: new Set() })
  return value
}

/**
 * Handles a job that became pending: changes the queue values of matching runners and ends their held requests.
 */
export function notifyMatchingRunners(ctx: Ctx, job: JobRow): void {
  const queues = queuesOf(ctx)
  if (job.kind !== 'job' || queues.byRunner.size === 0) return
  ctx.db.afterCommit(() => {
    // Jobs with the same project, protection and tags match the same runners, so one query is enough for all of them.
    const key = `${job.project_id} ${job.protected} ${job.tag_list}`
    if (queues.newJobs.size === 0) setImmediate(() => tickNewJobs(ctx, queues))
    queues.newJobs.set(key, { id: job.id, now: ctx.now })
  })
}

function tickNewJobs(ctx: Ctx, queues: Queues): void {
  const newJobs = [...queues.newJobs.values()]
  queues.newJobs.clear()
  if (queues.isClosed) return
  try {
    for (const { id, now } of newJobs)
      for (const runnerId of runnersFor(ctx.db, id, [...queues.byRunner.keys()]))
        renew({ ...ctx, now }, runnerId)
  } catch (error) {
    ctx.log.error({ err: error }, 'runners could not be notified of waiting jobs')
  }
}

/** Makes a changed runner check its queue again. Call it in or after the transaction of the change. */
export function notifyRunner(ctx: Ctx, runnerId: number): void {
  ctx.db.afterCommit(() => renew(ctx, runnerId))
}

/** Changes the value of a runner's queue and ends the runner's held requests. */
function renew(ctx: Pick<Ctx, 'db' | 'now' | 'random'>, runnerId: number): void {
  const queue = queuesOf(ctx).byRunner.get(runnerId)
  if (!queue) return
  Object.assign(queue, { value: ctx.random.hex(16), since: ctx.now })
  for (const wake of queue.waiting) wake(ctx.now)
}

/**
 * Waits until there may be a new job for a runner, at most `most` milliseconds. Ends immediately if the client
 * disconnects or the instance stops. Resolves with the time of the change, or undefined if there was none.
 */
export function waitForChange(
  ctx: Pick<Ctx, 'db'>,
  runnerId: number,
  { most, signal }: { readonly most: number; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const queues = queuesOf(ctx)
  const queue = queues.byRunner.get(runnerId)
  if (!queue || queues.isClosed || signal.aborted) return Promise.resolve(undefined)
  return new Promise((resolve) => {
    const wake: WakeCallback = (time) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', giveUp)
      queue.waiting.delete(wake)
      resolve(time)
    }
    const giveUp = (): void => wake(undefined)
    const timer = setTimeout(giveUp, most)
    timer.unref()
    signal.addEventListener('abort', giveUp)
    queue.waiting.add(wake)
  })
}

/** The number of held requests of a runner, for tests. */
export function heldRequests(ctx: Pick<Ctx, 'db'>, runnerId: number): number {
  return queuesOf(ctx).byRunner.get(runnerId)?.waiting.size ?? 0
}

/** Ends all held requests and holds no new ones, because the instance stops. */
export function closeQueues(ctx: Pick<Ctx, 'db'>): void {
  const queues = queuesOf(ctx)
  queues.isClosed = true
  for (const { waiting } of queues.byRunner.values()) for (const wake of waiting) wake(undefined)
}

/** Ends all held requests. Their runners then send new ones. */
export function endHeldRequests(ctx: Pick<Ctx, 'db'>): void {
  for (const { waiting } of queuesOf(ctx).byRunner.values()) for (const wake of waiting) wake(undefined)
}

/** The time in milliseconds for which a request is held while there is no job (spec ci 1.6: at most 20 to 30 s). */
export const HOLD_MS = 25_000

/** The time in milliseconds for which a request is held if the same process serves other runners. */
const SHARED_HOLD_MS = 3000

/** The time in milliseconds after its last request in which a runner counts as served by its process. */
const ACTIVE_MS = 120_000
const MAX_PROCESSES = 2000

/**
 * The time in milliseconds for which to hold a request of a runner. A process may serve several runners, and by default
 * it sends one request at a time. While one request is held, its other runners get no jobs.
 */
export function holdTime({ db, now }: Pick<Ctx, 'db' | 'now'>, runnerId: number, process: string): number {
  // The time of the last request of each runner, by process.
  const processes = db.instance('ci.runner_processes', () => new Map<string, Map<number, number>>(), {
    dependsOnRows: true,
  })
  const requests = processes.get(process) ?? new Map<number, number>()
  const time = Date.parse(now)
  for (const [id, lastRequest] of requests) if (time - lastRequest > ACTIVE_MS) requests.delete(id)
  requests.set(runnerId, time)
  processes.delete(process)
  processes.set(process, requests)
  if (processes.size > MAX_PROCESSES) processes.delete(processes.keys().next().value!)
  return requests.size > 1 ? SHARED_HOLD_MS : HOLD_MS
}
