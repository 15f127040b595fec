import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { ProjectImportProgressed } from '../imports/events.ts'
import { runningImport, currentTime } from './running.ts'
import * as store from './store.ts'

/** How far an import is. */
export interface Progress {
  /** What is being done: `repository`, `issues`; the window has words for it. */
  readonly step: string
  readonly done?: number
  readonly total?: number
  /** Until when it waits for a source that asked for patience, ISO 8601. */
  readonly waiting_until?: string | null
}

const EVERY_MS = 1000

/**
 * Notes how far the import of a project is, which also is its sign of life. Cheap: at most once a second something is written, and
 * what came last is written always.
 */
export function tellProgress(ctx: Ctx, projectId: number, progress: Progress): void {
  const running = runningImport(ctx, projectId)
  if (running.controller.signal.aborted) return
  clearTimeout(running.timer)
  const rest = running.written + EVERY_MS - performance.now()
  if (rest <= 0) return write(ctx, projectId, progress)
  running.timer = setTimeout(() => {
    try {
      write(ctx, projectId, progress)
    } catch (error) {
      ctx.log.warn({ err: error, project_id: projectId }, 'the progress of an import could not be stored')
    }
  }, rest)
  running.timer.unref()
}

function write(ctx: Ctx, projectId: number, progress: Progress): void {
  runningImport(ctx, projectId).written = performance.now()
  const now = currentTime(ctx, projectId)
  tx(ctx.db, () => {
    const run = store.byProject(ctx.db, projectId)
    if (!run) return
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
