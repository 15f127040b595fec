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
import { HostError, RateLimited } from './answers.ts'
import { LandingError, type Landing, discardImported } from './landing/index.ts'

/** Minutes before each further attempt while the host is unavailable. */
const RETRY_MINUTES = [1, 4, 16]

/** A job that fills a project from another host. */
export type ImportJob = Job<{ project_id: number }>

/**
 * Returns when to continue an import after a rate limit or a temporary error of the host. Returns undefined after other
 * errors and after too many errors in this stage: the import has failed then.
 */
export function retryTime(work: HostWork, error: unknown): string | undefined {
  if (error instanceof RateLimited) return error.until
  if (!(error instanceof HostError) || !error.isTemporary) return undefined
  const errors = work.cursor.trouble ?? 0
  const minutes = RETRY_MINUTES[errors]
  if (minutes === undefined) return undefined
  storeCursor(work, { trouble: errors + 1 })
  return isoTime(Date.parse(currentTime(work.ctx)) + minutes * 60_000)
}

/** Enqueues the import again for a later time. */
export function continueLater({ ctx, projectId, cursor }: HostWork, job: ImportJob, until: string): void {
  const progress = { step: cursor.stage ?? 'start', done: cursor.done ?? 0, waiting_until: until }
  storeProgress(ctx, projectId, progress)
  const delay = Math.max(0, Date.parse(until) - Date.parse(ctx.now))
  tx(ctx.db, () => {
    updateRun(ctx.db, projectId, progress)
    enqueue(ctx, job, { project_id: projectId }, { key: `host_imports:${projectId}`, delay })
  })
}

/** Deletes the imported records. Logs errors, because the import has to end in any case. */
export async function discard(ctx: Ctx, projectId: number): Promise<void> {
  try {
    await discardImported(ctx, projectId)
  } catch (error) {
    ctx.log.error(
      { err: error, project_id: projectId },
      'the records of a failed import could not be removed',
    )
  }
}

/** The reason of a failed import, for users. `deniedMessage` is the message for refused credentials. */
export function failureReason(error: unknown, deniedMessage: string): string {
  if (error instanceof HostError && error.status === 401) return deniedMessage
  if (error instanceof HostError && error.status === 404)
    return 'The repository no longer exists at the other host.'
  if (error instanceof HostError && error.status > 0)
    return `The other host refused (HTTP ${error.status}): ${error.message}`
  if (error instanceof HostError) return error.message
  return reasonOf(error instanceof LandingError ? new ImportFailure(error.message) : error)
}

/** The position of an import, which continues there after an interruption. Each host adds its own fields. */
export interface HostCursor {
  readonly stage?: string
  readonly done?: number
  /** Number of interruptions of this stage by errors of the host. */
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
  /** Whether this import runs the stage. Default is yes. */
  isEnabled?(work: Work): boolean
  run(work: Work): Promise<void>
}

/** Stores the position of the import. */
export function storeCursor<Work extends HostWork>(work: Work, changes: Partial<Work['cursor']>): void {
  work.cursor = { ...work.cursor, ...changes }
  updateRun(work.ctx.db, work.projectId, { cursor: JSON.stringify(work.cursor) })
}

/** Throws if the import was canceled or the project deleted. */
export function checkNotCanceled({ ctx, projectId, signal }: HostWork): void {
  signal.throwIfAborted()
  if (!runOf(ctx.db, projectId)) throw new LandingError('The project was deleted.')
}

/** Publishes the progress of the current stage. */
export function reportProgress({ ctx, projectId, cursor, total }: HostWork): void {
  storeProgress(ctx, projectId, { step: cursor.stage ?? 'start', done: cursor.done ?? 0, total })
}

/** Whether an error ends or interrupts the whole import, not only one record. */
export function isFatal({ signal }: Pick<HostWork, 'signal'>, error: unknown): boolean {
  return (
    signal.aborted ||
    error instanceof RateLimited ||
    (error instanceof HostError && (error.isTemporary || error.status === 401))
  )
}

/** Records that a record or list could not be imported. */
export function recordFailure(
  { ctx, projectId }: HostWork,
  source: string,
  error: unknown,
  relation: string | null = null,
): void {
  const hasMessage = error instanceof LandingError || error instanceof HostError
  if (!hasMessage)
    ctx.log.warn({ err: error, project_id: projectId }, 'a record of another host could not be imported')
  recordFailures(ctx, { project_id: projectId }, [
    {
      source: source.slice(0, 200),
      relation_name: relation,
      exception_class: error instanceof LandingError ? error.exceptionClass : 'StandardError',
      exception_message: hasMessage ? cleaned(error.message) : 'It could not be stored.',
    },
  ])
}
