import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { enqueue, type Job } from '../../../jobs/job.ts'
import { isoTime } from '../../../lib/clock.ts'
import { ImportFailure, reasonOf, storeProgress, currentTime, updateRun } from '../../import_export/index.ts'
import { HostProblem, HostWaits } from './answers.ts'
import { CannotLand, discardLanded } from './landing/index.ts'
import { keepCursor, type HostWork } from './work.ts'

/** Minutes between attempts while the host is unavailable. */
const TROUBLE_MINUTES = [1, 4, 16]

/** A job that fills a project from another host. */
export type ImportJob = Job<{ project_id: number }>

/**
 * The time to continue an import after an error: the host rate limited it, or failed, but not too often in this stage.
 * Undefined if the import has failed.
 */
export function waitingTime(work: HostWork, error: unknown): string | undefined {
  if (error instanceof HostWaits) return error.until
  if (!(error instanceof HostProblem) || !error.isPassing) return undefined
  const trouble = work.cursor.trouble ?? 0
  const minutes = TROUBLE_MINUTES[trouble]
  if (minutes === undefined) return undefined
  keepCursor(work, { trouble: trouble + 1 })
  return isoTime(Date.parse(currentTime(work.ctx)) + minutes * 60_000)
}

/** Enqueues the import again for a later time. */
export function later({ ctx, projectId, cursor }: HostWork, job: ImportJob, until: string): void {
  const how = { step: cursor.stage ?? 'start', done: cursor.done ?? 0, waiting_until: until }
  storeProgress(ctx, projectId, how)
  const delay = Math.max(0, Date.parse(until) - Date.parse(ctx.now))
  tx(ctx.db, () => {
    updateRun(ctx.db, projectId, how)
    enqueue(ctx, job, { project_id: projectId }, { key: `host_imports:${projectId}`, delay })
  })
}

/** Deletes the imported records. The import ends even if that fails. */
export async function discard(ctx: Ctx, projectId: number): Promise<void> {
  try {
    await discardLanded(ctx, projectId)
  } catch (error) {
    ctx.log.error(
      { err: error, project_id: projectId },
      'the records of a failed import could not be removed',
    )
  }
}

/** The reason of a failed import, for users. `denied`: the error for refused credentials. */
export function sentenceOf(error: unknown, denied: string): string {
  if (error instanceof HostProblem && error.status === 401) return denied
  if (error instanceof HostProblem && error.status === 404)
    return 'The repository cannot be found at the other host any more.'
  if (error instanceof HostProblem && error.status > 0)
    return `The other host refused (HTTP ${error.status}): ${error.message}`
  if (error instanceof HostProblem) return error.message
  return reasonOf(error instanceof CannotLand ? new ImportFailure(error.message) : error)
}
