import type { Ctx } from '../../../ctx.ts'
import type { JobRow } from '../jobs/store.ts'
import { runnersFor } from './store-queue.ts'

/** A queue value expires after this time in milliseconds, so that a runner checks the queue from time to time. */
const LIFETIME_MS = 3_600_000

/** A waiting request of a runner; called with the time of the change, or with undefined if there was none. */
type WakeCallback = (news: string | undefined) => void

interface Known {
  value: string
  /** When the value was created, ISO 8601. */
  since: string
  readonly waiting: Set<WakeCallback>
}

interface Queues {
  readonly known: Map<number, Known>
  /** One job of each kind that became pending since the last check, with its time. */
  readonly arrived: Map<string, { readonly id: number; readonly now: string }>
  isClosed: boolean
}

/** Queue values live as long as the instance: after a restart every runner checks the queue. */
function queuesOf({ db }: Pick<Ctx, 'db'>): Queues {
  return db.instance('ci.runner_queues', (): Queues => ({
    known: new Map(),
    arrived: new Map(),
    isClosed: false,
  }))
}

/** The queue value of a runner. It changes when there may be a new job for the runner. */
export function queueValue(ctx: Pick<Ctx, 'db' | 'now' | 'random'>, runnerId: number): string {
  const { known } = queuesOf(ctx)
  const present = known.get(runnerId)
  if (present && Date.parse(ctx.now) - Date.parse(present.since) < LIFETIME_MS) return present.value
  const value = ctx.random.hex(16)
  if (present) Object.assign(present, { value, since: ctx.now })
  else known.set(runnerId, { value, since: ctx.now, waiting: new Set() })
  return value
}

/**
 * Handles a job that became pending: changes the queue value of matching runners and answers their waiting requests.
 */
export function tickQueues(ctx: Ctx, job: JobRow): void {
  const queues = queuesOf(ctx)
  if (job.kind !== 'job' || queues.known.size === 0) return
  ctx.db.afterCommit(() => {
    // Jobs of one project with the same tags match the same runners, so a thousand of them take one query.
    const kind = `${job.project_id} ${job.protected} ${job.tag_list}`
    if (queues.arrived.size === 0) setImmediate(() => tickArrived(ctx, queues))
    queues.arrived.set(kind, { id: job.id, now: ctx.now })
  })
}

function tickArrived(ctx: Ctx, queues: Queues): void {
  const arrived = [...queues.arrived.values()]
  queues.arrived.clear()
  if (queues.isClosed) return
  try {
    for (const { id, now } of arrived)
      for (const runnerId of runnersFor(ctx.db, id, [...queues.known.keys()]))
        renew({ ...ctx, now }, runnerId)
  } catch (error) {
    ctx.log.error({ err: error }, 'runners could not be notified of waiting jobs')
  }
}

/** Handles a changed runner: it has to check the queue again. Call it in or after the transaction of the change. */
export function tickRunner(ctx: Ctx, runnerId: number): void {
  ctx.db.afterCommit(() => renew(ctx, runnerId))
}

function renew(ctx: Pick<Ctx, 'db' | 'now' | 'random'>, runnerId: number): void {
  const present = queuesOf(ctx).known.get(runnerId)
  if (!present) return
  Object.assign(present, { value: ctx.random.hex(16), since: ctx.now })
  for (const wake of present.waiting) wake(ctx.now)
}

/**
 * Waits until there may be a new job for a runner, for at most `limit` milliseconds. Ends at once if the client
 * disconnects or the instance stops. Resolves with the time of the change, or undefined. Costs only a timer.
 */
export function news(
  ctx: Pick<Ctx, 'db'>,
  runnerId: number,
  { most: limit, signal }: { readonly most: number; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const queues = queuesOf(ctx)
  const present = queues.known.get(runnerId)
  if (!present || queues.isClosed || signal.aborted) return Promise.resolve(undefined)
  return new Promise((resolve) => {
    const wake: WakeCallback = (time) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', leave)
      present.waiting.delete(wake)
      resolve(time)
    }
    const leave = (): void => wake(undefined)
    const timer = setTimeout(leave, limit)
    timer.unref()
    signal.addEventListener('abort', leave)
    present.waiting.add(wake)
  })
}

/** Number of held requests of a runner; for tests. */
export function heldRequests(ctx: Pick<Ctx, 'db'>, runnerId: number): number {
  return queuesOf(ctx).known.get(runnerId)?.waiting.size ?? 0
}

/** Ends all waiting requests and holds no new ones, because the instance stops. */
export function closeQueues(ctx: Pick<Ctx, 'db'>): void {
  const queues = queuesOf(ctx)
  queues.isClosed = true
  for (const { waiting } of queues.known.values()) for (const wake of waiting) wake(undefined)
}

/** Ends all waiting requests; their runners send new ones. */
export function endWaiting(ctx: Pick<Ctx, 'db'>): void {
  for (const { waiting } of queuesOf(ctx).known.values()) for (const wake of waiting) wake(undefined)
}

/** A request is held this long while there is nothing new (spec ci 1.6: at most 20 to 30 s). */
export const HOLD_MS = 25000

/** The time limit in milliseconds if other runners of the same process are waiting for their turn. */
const SHARED_HOLD_MS = 3000

/** After this time in milliseconds without a request, a runner no longer counts for its process. */
const GONE_MS = 120000
const MAX_PROCESSES = 2000

/**
 * The time in milliseconds to hold a request of a runner. One process may serve several runners, and with its usual
 * settings it sends one request at a time, so while one is held the others get no jobs.
 */
export function holdOf({ db, now }: Pick<Ctx, 'db' | 'now'>, runnerId: number, process: string): number {
  // Time of the last request of each runner in milliseconds, by process.
  const processes = db.instance('ci.runner_processes', () => new Map<string, Map<number, number>>(), {
    dependsOnRows: true,
  })
  const asked = processes.get(process) ?? new Map<number, number>()
  const time = Date.parse(now)
  for (const [id, at] of asked) if (time - at > GONE_MS) asked.delete(id)
  asked.set(runnerId, time)
  processes.delete(process)
  processes.set(process, asked)
  if (processes.size > MAX_PROCESSES) processes.delete(processes.keys().next().value!)
  return asked.size > 1 ? SHARED_HOLD_MS : HOLD_MS
}
