import type { Ctx } from '../ctx.ts'
import type { Database } from '../db/database.ts'

/** The reason of the signal that ends long work early. */
export class RunInterrupted extends Error {
  /**
   * `canceled`: a user canceled the work, or its owner was deleted. `stopping`: the instance stops, and the job runs
   * again at the next start.
   */
  readonly reason: 'canceled' | 'stopping'

  constructor(reason: 'canceled' | 'stopping') {
    super(reason === 'canceled' ? 'The work was canceled.' : 'The instance is stopping.')
    this.name = 'RunInterrupted'
    this.reason = reason
  }
}

/** Whether a signal was aborted because the instance stops. */
export function isStopping({ reason }: AbortSignal): boolean {
  return reason instanceof RunInterrupted && reason.reason === 'stopping'
}

/**
 * The IDs of the rows that own the work, by the field that names them: `{ project_id: 3 }`. The work is canceled when
 * one of the rows is deleted.
 */
export type RunOwners = Readonly<Record<string, unknown>>

interface Run {
  readonly name: string | undefined
  readonly owners: RunOwners
  readonly controller: AbortController
  readonly ended: Promise<void>
}

interface Runs {
  readonly active: Set<Run>
  readonly stopping: AbortController
}

function runsOf(db: Database): Runs {
  return db.instance('jobs.runs', (): Runs => ({ active: new Set(), stopping: new AbortController() }))
}

/** The signal that is aborted when the instance stops. It is `ctx.signal` outside of jobs. */
export function stopSignal(db: Database): AbortSignal {
  return runsOf(db).stopping.signal
}

/** Registers work that begins. The signal is aborted when the work is canceled and when the instance stops. */
export function beginRun(
  db: Database,
  owners: RunOwners,
  name?: string,
): { readonly signal: AbortSignal; end(): void } {
  const { active, stopping } = runsOf(db)
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  const run: Run = { name, owners, controller: new AbortController(), ended }
  if (stopping.signal.aborted) run.controller.abort(stopping.signal.reason)
  active.add(run)
  const end = (): void => {
    active.delete(run)
    resolve()
  }
  return { signal: run.controller.signal, end }
}

/**
 * Runs long work under a name by which `cancelRun` finds it. The signal is also aborted when the surrounding job is
 * aborted or an owner is deleted. Aborted work rejects with the reason of the signal, which the job runner handles.
 */
export async function cancelable<T>(
  ctx: Pick<Ctx, 'db' | 'signal'>,
  { name, ...owners }: { readonly name: string } & RunOwners,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const run = beginRun(ctx.db, owners, name)
  const signal = AbortSignal.any([ctx.signal, run.signal])
  try {
    signal.throwIfAborted()
    return await work(signal)
  } finally {
    run.end()
  }
}

/** Cancels the work with a name. Resolves when the work has ended. Returns undefined if none is running. */
export function cancelRun({ db }: Pick<Ctx, 'db'>, name: string): Promise<unknown> | undefined {
  const runs = [...runsOf(db).active].filter((run) => run.name === name)
  for (const { controller } of runs) controller.abort(new RunInterrupted('canceled'))
  return runs.length > 0 ? Promise.all(runs.map(({ ended }) => ended)) : undefined
}

/** Cancels all work for a row that was deleted. */
export function cancelRunsFor(db: Database, field: string, id: unknown): void {
  for (const { owners, controller } of runsOf(db).active)
    if (owners[field] === id) controller.abort(new RunInterrupted('canceled'))
}

/** Aborts all work because the instance stops. Work that begins later is aborted immediately. */
export function stopRuns(db: Database): void {
  const { active, stopping } = runsOf(db)
  const reason = new RunInterrupted('stopping')
  stopping.abort(reason)
  for (const { controller } of active) controller.abort(reason)
}

/** Resolves when all running work has ended. */
export async function awaitRuns(db: Database): Promise<void> {
  await Promise.all([...runsOf(db).active].map(({ ended }) => ended))
}
