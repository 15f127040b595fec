import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { enqueue, type Job } from '../../../jobs/job.ts'
import { isoTime } from '../../../lib/clock.ts'
import { ImportFailure, reasonOf, tellProgress, currentTime, updateRun } from '../../import_export/index.ts'
import { HostProblem, HostWaits } from './answers.ts'
import { CannotLand, discardLanded } from './landing/index.ts'

/** How long the host may be broken: minutes between the tries. */
const TROUBLE_MINUTES = [1, 4, 16]

/** A job that fills a project from another host. */
export type ImportJob = Job<{ project_id: number }>

/** What of a work this file looks at, whichever host it is from. */
interface Rested {
  readonly ctx: Ctx
  readonly projectId: number
  readonly cursor: { readonly stage?: string | undefined; readonly done?: number; readonly trouble?: number }
}

/**
 * Until when an import rests, where that may help; undefined where it has failed. `count` keeps how often the host was broken
 * since the last stage began.
 */
export function waitingTime(
  { ctx, projectId, cursor }: Rested,
  error: unknown,
  count: (trouble: number) => void,
): string | undefined {
  if (error instanceof HostWaits) return error.until
  if (!(error instanceof HostProblem) || !error.isPassing) return undefined
  const trouble = cursor.trouble ?? 0
  const minutes = TROUBLE_MINUTES[trouble]
  if (minutes === undefined) return undefined
  count(trouble + 1)
  return isoTime(Date.parse(currentTime(ctx, projectId)) + minutes * 60_000)
}

/** Enqueues the import again for a later time. */
export function later({ ctx, projectId, cursor }: Rested, job: ImportJob, until: string): void {
  const how = { step: cursor.stage ?? 'start', done: cursor.done ?? 0, waiting_until: until }
  tellProgress(ctx, projectId, how)
  const delay = Math.max(0, Date.parse(until) - Date.parse(ctx.now))
  tx(ctx.db, () => {
    updateRun(ctx.db, projectId, how)
    enqueue(ctx, job, { project_id: projectId }, { key: `host_imports:${projectId}`, delay })
  })
}

/** The instance stops: its next start goes on, however often that was. */
export function goOn(ctx: Ctx, job: ImportJob, projectId: number): void {
  enqueue(ctx, job, { project_id: projectId }, { key: `host_imports:${projectId}` })
}

/** However much of it can be taken back, the import is over. */
export async function discard(ctx: Ctx, projectId: number): Promise<void> {
  try {
    await discardLanded(ctx, projectId)
  } catch (error) {
    ctx.log.error({ err: error, project_id: projectId }, 'what an import had brought could not be removed')
  }
}

/** Why an import failed, for people. `denied`: what is said of a token that the host refuses. */
export function sentenceOf(error: unknown, denied: string): string {
  if (error instanceof HostProblem && error.status === 401) return denied
  if (error instanceof HostProblem && error.status === 404)
    return 'The repository cannot be found at the other host any more.'
  if (error instanceof HostProblem && error.status > 0)
    return `The other host refused (HTTP ${error.status}): ${error.message}`
  if (error instanceof HostProblem) return error.message
  return reasonOf(error instanceof CannotLand ? new ImportFailure(error.message) : error)
}
