import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { enqueue, type Job } from '../../../jobs/job.ts'
import { isoTime } from '../../../lib/clock.ts'
import {
  cleaned,
  recordFailures,
  runOf,
  storeProgress,
  updateRun,
  ImportFailure,
  reasonOf,
  currentTime,
} from '../../import_export/index.ts'
import { HostProblem, HostWaits } from './answers.ts'
import { CannotLand, type Landing, discardLanded } from './landing/index.ts'

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
  storeCursor(work, { trouble: trouble + 1 })
  return isoTime(Date.parse(currentTime(work.ctx)) + minutes * 60_000)
}

/** Enqueues the import again for a later time. */
export function continueLater({ ctx, projectId, cursor }: HostWork, job: ImportJob, until: string): void {
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
    return 'The repository no longer exists at the other host.'
  if (error instanceof HostProblem && error.status > 0)
    return `The other host refused (HTTP ${error.status}): ${error.message}`
  if (error instanceof HostProblem) return error.message
  return reasonOf(error instanceof CannotLand ? new ImportFailure(error.message) : error)
}

/** The position of an interrupted import; each host adds fields of its own. */
export interface HostCursor {
  readonly stage?: string
  readonly done?: number
  /** Number of interruptions by errors of the host. */
  readonly trouble?: number
}

/** A running import from another host. */
export interface HostWork<Source = unknown, Client = unknown, Cursor extends HostCursor = HostCursor> {
  readonly ctx: Ctx
  readonly projectId: number
  readonly source: Source
  readonly client: Client
  readonly landing: Landing
  readonly signal: AbortSignal
  readonly token: string
  cursor: Cursor
  /** Approximate number of records in the current list. */
  total: number
}

/** A stage of the import (spec administration 6.9, 6.10). It can be interrupted at any point and run again. */
export interface HostStage<Work extends HostWork> {
  readonly name: string
  /** Whether this import runs the stage; always by default. */
  isWanted?(work: Work): boolean
  run(work: Work): Promise<void>
}

/** Stores the position of the import. */
export function storeCursor<Work extends HostWork>(work: Work, changes: Partial<Work['cursor']>): void {
  work.cursor = { ...work.cursor, ...changes }
  updateRun(work.ctx.db, work.projectId, { cursor: JSON.stringify(work.cursor) })
}

/** Throws if the import was canceled or the project deleted. */
export function checkAlive({ ctx, projectId, signal }: HostWork): void {
  signal.throwIfAborted()
  if (!runOf(ctx.db, projectId)) throw new CannotLand('The project was deleted.')
}

/** Publishes the progress of the current stage. */
export function reportProgress({ ctx, projectId, cursor, total }: HostWork): void {
  storeProgress(ctx, projectId, { step: cursor.stage ?? 'start', done: cursor.done ?? 0, total })
}

/** Whether an error ends the import or its present run, and not only one record. */
export function isFatal({ signal }: Pick<HostWork, 'signal'>, error: unknown): boolean {
  return (
    signal.aborted ||
    error instanceof HostWaits ||
    (error instanceof HostProblem && (error.isPassing || error.status === 401))
  )
}

/** Records that something could not be imported. */
export function noteFailure(
  { ctx, projectId }: HostWork,
  source: string,
  error: unknown,
  relation: string | null = null,
): void {
  const isKnown = error instanceof CannotLand || error instanceof HostProblem
  if (!isKnown)
    ctx.log.warn({ err: error, project_id: projectId }, 'a record of another host could not be imported')
  recordFailures(ctx, { project_id: projectId }, [
    {
      source: source.slice(0, 200),
      relation_name: relation,
      exception_class: error instanceof CannotLand ? error.exceptionClass : 'StandardError',
      exception_message: isKnown ? cleaned(error.message) : 'It could not be stored.',
    },
  ])
}
