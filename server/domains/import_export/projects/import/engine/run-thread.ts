import { Worker } from 'node:worker_threads'

import type { Ctx } from '../../../../../ctx.ts'
import { ImportFailure as ImportProblem } from '../../../imports/reasons.ts'
import { takeIds } from './id-blocks.ts'
import { answerWith } from './ids.ts'
import type { Counts, ImportFailure, Numbers, Order, Report } from './messages.ts'
import { Writer } from './writer.ts'

/** How whoever starts a thread takes part. */
export interface Watch {
  readonly signal?: AbortSignal | undefined
  onProgress?(relation: string, done: number, total: number): void
  onFailures(failures: readonly ImportFailure[]): void
}

/** What came of it. */
export interface Outcome {
  readonly counts: Counts
  readonly numbers: Numbers
  /** Records that were read well and that the database refused, by relation. */
  readonly refused: Readonly<Record<string, number>>
}

const MAX_MEMORY_MB = 1024

/**
 * Has a thread read records and run the codecs, and writes what comes of it here. Rejects with a sentence for people where that
 * cannot go on, and with the reason of the signal when it is ended; what was written by then stays.
 */
export async function runThread(ctx: Ctx, order: Order, watch: Watch): Promise<Outcome> {
  watch.signal?.throwIfAborted()
  // Beside this file in the sources, beside the bundle once it is built.
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const worker = new Worker(new URL(`./import.worker.${extension}`, import.meta.url), {
    workerData: order,
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
  })
  worker.unref()
  const over = Promise.withResolvers<Outcome>()
  // Whoever waits for a batch when all is over must not be left alone with it.
  over.promise.catch(() => undefined)
  const writer = new BatchWriter(ctx, order, { worker, watch, over })
  worker.on('message', (report: Report) => writer.hear(report))
  worker.on('error', (error) => over.reject(problemOf(error)))
  worker.on('exit', () => over.reject(new ImportProblem('The import ended before it was done.')))
  const end = (): void => over.reject(watch.signal!.reason as Error)
  watch.signal?.addEventListener('abort', end, { once: true })
  try {
    return await over.promise
  } finally {
    watch.signal?.removeEventListener('abort', end)
    await worker.terminate()
    // A transaction that is under way is the last one.
    await writer.written
  }
}

interface Means {
  readonly worker: Worker
  readonly watch: Watch
  readonly over: PromiseWithResolvers<Outcome>
}

/** Does what the thread asks for, batches one after the other. */
class BatchWriter {
  readonly #ctx: Ctx
  readonly #order: Order
  readonly #means: Means
  readonly #writer: Writer
  readonly #refused: Record<string, number> = {}
  #isOver = false
  /** Resolves once everything that was begun is written; never rejects. */
  written: Promise<void> = Promise.resolve()

  constructor(ctx: Ctx, order: Order, means: Means) {
    this.#ctx = ctx
    this.#order = order
    this.#means = means
    this.#writer = new Writer(ctx.db, means.watch.signal)
    means.over.promise.then(
      () => undefined,
      () => (this.#isOver = true),
    )
  }

  hear(report: Report): void {
    try {
      this.#answer(report)
    } catch (error) {
      this.#means.over.reject(error)
    }
  }

  #answer(report: Report): void {
    const { watch, over } = this.#means
    if (this.#isOver) return
    if (report.kind === 'batch') this.#write(report)
    else if (report.kind === 'ids')
      answerWith(this.#order.answers, takeIds(this.#ctx.db, report.table, report.count))
    else if (report.kind === 'progress') watch.onProgress?.(report.relation, report.done, report.total)
    else if (report.kind === 'surprise')
      this.#ctx.log.error({ ...report.origin, stack: report.stack }, 'a record could not be taken over')
    else if (report.kind === 'failed') {
      this.#ctx.log[report.expected ? 'info' : 'error']({ stack: report.stack }, 'an import failed')
      over.reject(report.expected ? new ImportProblem(report.sentence) : new Error(report.sentence))
    } else void this.written.then(() => over.resolve({ ...report, refused: this.#refused }))
  }

  #write(batch: Extract<Report, { kind: 'batch' }>): void {
    const { worker, watch, over } = this.#means
    this.written = this.written
      .then(async () => {
        if (this.#isOver) return
        const refused = await this.#writer.write(batch)
        for (const { relation } of refused) this.#refused[relation] = (this.#refused[relation] ?? 0) + 1
        const failures = [...batch.failures, ...refused]
        if (failures.length > 0) watch.onFailures(failures)
        worker.postMessage('written')
      })
      .catch((error: unknown) => over.reject(error))
  }
}

function problemOf(error: unknown): unknown {
  return (error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? new ImportProblem('The archive needs more memory than an import may use.')
    : error
}
