import { Worker } from 'node:worker_threads'

import { ArchiveProblem } from '../../../archive/problem.ts'
import type { ArchiveOrder, ExportProgress, ExportReport } from './messages.ts'

/** More than this the thread never needs; one that does is ended rather than the machine. */
const MAX_MEMORY_MB = 512

/** How whoever starts a thread takes part. */
export interface Watch {
  readonly signal?: AbortSignal | undefined
  onProgress?(progress: ExportProgress): void
  /** The moment is held. The thread packs once this resolves, and fails as it does. */
  onPinned?(): Promise<void>
}

/**
 * Has a thread write an archive. Rejects with ArchiveProblem for what people are told, and with the reason of the
 * signal when it is ended; what was written by then is the caller's to remove.
 */
export async function runThread(
  order: ArchiveOrder,
  watch: Watch = {},
): Promise<{ readonly size: number; readonly records: number }> {
  watch.signal?.throwIfAborted()
  // Beside this file in the sources, beside the bundle once it is built.
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const worker = new Worker(new URL(`./export.worker.${extension}`, import.meta.url), {
    workerData: order,
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
  })
  worker.unref()
  const { promise, resolve, reject } = Promise.withResolvers<{ size: number; records: number }>()
  worker.on('message', (report: ExportReport) => {
    if (report.kind === 'progress') watch.onProgress?.(report)
    else if (report.kind === 'done') resolve(report)
    else if (report.kind === 'pinned')
      void (watch.onPinned?.() ?? Promise.resolve()).then(() => worker.postMessage('bundles'), reject)
    else {
      const Kind = report.expected ? ArchiveProblem : Error
      reject(Object.assign(new Kind(report.sentence), { stack: report.stack }))
    }
  })
  worker.on('error', reject)
  worker.on('exit', () => reject(new Error('The thread ended before it was done.')))
  const end = (): void => reject(watch.signal!.reason as Error)
  watch.signal?.addEventListener('abort', end, { once: true })
  try {
    return await promise
  } finally {
    watch.signal?.removeEventListener('abort', end)
    await worker.terminate()
  }
}
