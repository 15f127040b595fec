import type { Ctx } from '../../../../../ctx.ts'
import { runInThread, ThreadError, workerFile } from '../../../../../threads/thread.ts'
import { ImportFailure as ImportProblem } from '../../../imports/reasons.ts'
import { takeIds } from '../store.ts'
import { answerWith } from './ids.ts'
import type { Batch, Counts, ImportFailure, ImportWork, Numbers, Order } from './messages.ts'
import { Writer } from './writer.ts'

/** Callbacks and signal of the caller. */
export interface Watch {
  readonly signal?: AbortSignal | undefined
  onProgress?(relation: string, done: number, total: number): void
  onFailures(failures: readonly ImportFailure[]): void
}

/** The result. */
export interface Outcome {
  readonly counts: Counts
  readonly numbers: Numbers
  /** Valid records that the database rejected, by relation. */
  readonly refused: Readonly<Record<string, number>>
}

/**
 * Starts a thread that reads and converts records, and writes its batches here one after the other. Rejects with a message for
 * users if the import cannot continue, or with the reason of an aborted signal. Rows written so far stay.
 */
export async function runThread(ctx: Ctx, order: Order, watch: Watch): Promise<Outcome> {
  const writer = new Writer(ctx.db, watch.signal)
  const refused: Record<string, number> = {}
  let isOver = false
  let written: Promise<void> = Promise.resolve()
  const write = async (batch: Batch): Promise<void> => {
    if (isOver) return
    const rows = await writer.write(batch)
    for (const { relation } of rows) refused[relation] = (refused[relation] ?? 0) + 1
    const failures = [...batch.failures, ...rows]
    if (failures.length > 0) watch.onFailures(failures)
  }
  try {
    const result = await runInThread<ImportWork>(workerFile(import.meta.url, './import'), order, {
      signal: watch.signal,
      memoryMb: 1024,
      onQuestion: (batch) => (written = written.then(() => write(batch))),
      onReport: (report) => {
        if (report.kind === 'ids') answerWith(order.answers, takeIds(ctx.db, report.table, report.count))
        else if (report.kind === 'progress') watch.onProgress?.(report.relation, report.done, report.total)
        else ctx.log.error({ ...report.origin, stack: report.stack }, 'a record could not be taken over')
      },
    })
    return { ...result, refused }
  } catch (error) {
    throw problemOf(ctx, error)
  } finally {
    isOver = true
    // The current transaction is the last one.
    await written.catch(() => undefined)
  }
}

function problemOf(ctx: Ctx, error: unknown): unknown {
  if (!(error instanceof ThreadError)) return error
  if (error.why === 'memory')
    return new ImportProblem('The archive needs more memory than an import may use.')
  if (error.why === 'ended') return new ImportProblem('The import ended before it was done.')
  const isExpected = error.why === 'refused'
  ctx.log[isExpected ? 'info' : 'error']({ stack: error.stack }, 'an import failed')
  return isExpected ? new ImportProblem(error.message) : error
}
