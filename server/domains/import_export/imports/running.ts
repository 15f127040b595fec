import type { Ctx } from '../../../ctx.ts'
import { isoTime } from '../../../lib/clock.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { cancelable, cancelRun } from '../../../jobs/runs.ts'
import { ProjectImportProgressed } from '../events.ts'
import * as store from './store.ts'

const nameOf = (projectId: number): string => `import:${projectId}`

/** Runs the import of a project. The signal is aborted if the import is canceled or the instance stops. */
export function cancelableImport<T>(
  ctx: Ctx,
  projectId: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return cancelable(ctx, { name: nameOf(projectId), project_id: projectId }, work)
}

/** Aborts the running job of an import that has ended. */
export function abortImport(ctx: Pick<Ctx, 'db'>, projectId: number): void {
  void cancelRun(ctx, nameOf(projectId))
  dropReport(ctx, projectId)
}

/** The progress of an import. */
export interface Progress {
  /** The current step, such as `repository` or `issues`. The window translates it. */
  readonly step: string
  readonly done?: number
  readonly total?: number
  /** The end of a rate limit of the source, ISO 8601. */
  readonly waiting_until?: string | null
}

/** When progress was last stored (monotonic clock), and the timer that stores a delayed report. */
interface ReportState {
  writtenAt: number
  timer: NodeJS.Timeout | undefined
}

function reportsOf({ db }: Pick<Ctx, 'db'>): Map<number, ReportState> {
  return db.instance('imports.progress', () => new Map<number, ReportState>())
}

/** Drops a delayed report, because the import has ended or starts again. */
export function dropReport(ctx: Pick<Ctx, 'db'>, projectId: number): void {
  const reports = reportsOf(ctx)
  clearTimeout(reports.get(projectId)?.timer)
  reports.delete(projectId)
}

const INTERVAL_MS = 1000

/**
 * Stores and publishes the progress of an import, which also is its heartbeat. Writes at most once a second, and always
 * the last report.
 */
export function storeProgress(ctx: Ctx, projectId: number, progress: Progress): void {
  if (ctx.signal.aborted) return
  const states = reportsOf(ctx)
  const reports = states.get(projectId) ?? { writtenAt: -Infinity, timer: undefined }
  states.set(projectId, reports)
  clearTimeout(reports.timer)
  const delay = reports.writtenAt + INTERVAL_MS - performance.now()
  const write = (): void => {
    reports.writtenAt = performance.now()
    writeProgress(ctx, projectId, progress)
  }
  if (delay <= 0) return write()
  reports.timer = setTimeout(() => {
    try {
      if (!ctx.signal.aborted) write()
    } catch (error) {
      ctx.log.warn({ err: error, project_id: projectId }, 'the progress of an import could not be stored')
    }
  }, delay)
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

/** The current time. The context of a job has its start time, and imports take long. */
export function currentTime({ clock, now }: Pick<Ctx, 'clock' | 'now'>): string {
  const current = isoTime(clock.now())
  // The system clock may be set back.
  return current > now ? current : now
}
