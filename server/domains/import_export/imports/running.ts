import type { Ctx } from '../../../ctx.ts'
import { isoTime } from '../../../lib/clock.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { cancelable, cancelRun } from '../../../jobs/runs.ts'
import { ProjectImportProgressed } from '../events.ts'
import * as store from './store.ts'

const nameOf = (projectId: number): string => `import:${projectId}`

/** Runs the import of a project. The signal is aborted if the import is canceled or the instance stops. */
export function importing<T>(
  ctx: Ctx,
  projectId: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return cancelable(ctx, { name: nameOf(projectId), project_id: projectId }, work)
}

/** Aborts the jobs that still work on an import which has ended. */
export function abortImport(ctx: Pick<Ctx, 'db'>, projectId: number): void {
  void cancelRun(ctx, nameOf(projectId))
  forgetProgress(ctx, projectId)
}

/** The progress of an import. */
export interface Progress {
  /** The present step: `repository`, `issues`; the window translates it. */
  readonly step: string
  readonly done?: number
  readonly total?: number
  /** The end of a pause that the source asked for, ISO 8601. */
  readonly waiting_until?: string | null
}

/** The time of the last stored progress (monotonic clock), and the waiting report. */
interface Reports {
  written: number
  timer: NodeJS.Timeout | undefined
}

function reportsOf({ db }: Pick<Ctx, 'db'>): Map<number, Reports> {
  return db.instance('imports.progress', () => new Map<number, Reports>())
}

/** Drops the waiting report, because the import has ended or starts again. */
export function forgetProgress(ctx: Pick<Ctx, 'db'>, projectId: number): void {
  const reports = reportsOf(ctx)
  clearTimeout(reports.get(projectId)?.timer)
  reports.delete(projectId)
}

const EVERY_MS = 1000

/**
 * Stores and publishes the progress of an import, which also shows that it is alive. At most once a second; the last
 * report is always written.
 */
export function storeProgress(ctx: Ctx, projectId: number, progress: Progress): void {
  if (ctx.signal.aborted) return
  const all = reportsOf(ctx)
  const reports = all.get(projectId) ?? { written: -Infinity, timer: undefined }
  all.set(projectId, reports)
  clearTimeout(reports.timer)
  const rest = reports.written + EVERY_MS - performance.now()
  const write = (): void => {
    reports.written = performance.now()
    writeProgress(ctx, projectId, progress)
  }
  if (rest <= 0) return write()
  reports.timer = setTimeout(() => {
    try {
      if (!ctx.signal.aborted) write()
    } catch (error) {
      ctx.log.warn({ err: error, project_id: projectId }, 'the progress of an import could not be stored')
    }
  }, rest)
  reports.timer.unref()
}

function writeProgress(ctx: Ctx, projectId: number, progress: Progress): void {
  const now = currentTime(ctx)
  tx(ctx.db, () => {
    const run = store.byProject(ctx.db, projectId)
    if (!run || run.finished_at !== null) return
    store.update(ctx.db, projectId, {
      step: progress.step,
      done: progress.done ?? 0,
      total: progress.total ?? 0,
      waiting_until: progress.waiting_until ?? null,
      heartbeat_at: now,
      updated_at: now,
    })
    publish(ctx, ProjectImportProgressed, {
      project_id: projectId,
      actor_id: run.user_id,
      step: progress.step,
    })
  })
}

/** The current time: the context of a job keeps the time of its beginning, and imports take long. */
export function currentTime({ clock, now }: Pick<Ctx, 'clock' | 'now'>): string {
  const present = isoTime(clock.now())
  // The system clock may be set back.
  return present > now ? present : now
}
