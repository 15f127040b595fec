import { Worker } from 'node:worker_threads'

import { BackupProblem } from '../archive/problem.ts'
import type { Order, Outcome, Report, Step } from './messages.ts'

/** How whoever started a thread takes part. */
export interface Watch {
  /** The thread is ready; once this resolves it takes its snapshot. */
  readonly onReady?: () => Promise<void>
  readonly onPinned?: () => void
  readonly onLinked?: (copied: number) => void
  readonly onProgress?: (step: Step, done: number, total: number) => void
  /** Ends the thread wherever it is. */
  readonly signal?: AbortSignal
}

/** Why a thread that nobody expected to fail did; the stack is for the log. */
export class ThreadFailure extends BackupProblem {
  readonly inner: string

  constructor(sentence: string, inner: string) {
    super(sentence)
    this.inner = inner
  }
}

/**
 * Has a thread make, read or unpack a backup. Rejects with BackupProblem for what it could not do, and with the reason of the
 * signal when it is ended.
 */
export async function runThread(order: Order, watch: Watch = {}): Promise<Outcome> {
  watch.signal?.throwIfAborted()
  // Beside this file in the sources, beside the bundle once it is built.
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const worker = new Worker(new URL(`./backup.worker.${extension}`, import.meta.url), {
    workerData: order,
    resourceLimits: { maxOldGenerationSizeMb: 1024 },
  })
  worker.unref()
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
  const hear = (report: Report): void => {
    if (report.kind === 'done') resolve(report.outcome)
    else if (report.kind === 'failed')
      reject(
        report.expected
          ? new BackupProblem(report.sentence)
          : new ThreadFailure(report.sentence, report.stack),
      )
    else if (report.kind === 'progress') watch.onProgress?.(report.step, report.done, report.total)
    else if (report.kind === 'pinned') watch.onPinned?.()
    else if (report.kind === 'linked') watch.onLinked?.(report.copied)
    else void (watch.onReady?.() ?? Promise.resolve()).then(() => worker.postMessage('now'), reject)
  }
  worker.on('message', hear)
  worker.on('error', reject)
  worker.on('exit', () => reject(new BackupProblem('The work ended before it was done.')))
  const end = (): void => reject(watch.signal!.reason as Error)
  watch.signal?.addEventListener('abort', end, { once: true })
  try {
    return await promise
  } finally {
    watch.signal?.removeEventListener('abort', end)
    await worker.terminate()
  }
}
