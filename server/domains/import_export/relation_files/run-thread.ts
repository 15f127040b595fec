import { Worker } from 'node:worker_threads'

import type { RelationFileReport, RelationFilesOrder } from './messages.ts'

type Progress = Exclude<RelationFileReport, { kind: 'done' }>

/**
 * Has a thread write relations, each into a file: gzip of one record a line. `onFile` hears of each as it is there, or why it is
 * not. Rejects with the reason of the signal when it is ended; files that were written by then are the caller's to remove.
 */
export async function writeRelationFiles(
  order: RelationFilesOrder,
  watch: { readonly signal?: AbortSignal; onFile(report: Progress): void },
): Promise<void> {
  watch.signal?.throwIfAborted()
  // Beside this file in the sources, beside the bundle once it is built.
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const worker = new Worker(new URL(`./relations.worker.${extension}`, import.meta.url), {
    workerData: order,
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  })
  worker.unref()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  worker.on('message', (report: RelationFileReport) => {
    if (report.kind === 'done') resolve()
    else watch.onFile(report)
  })
  worker.on('error', reject)
  worker.on('exit', () => reject(new Error('The thread ended before it was done.')))
  const end = (): void => reject(watch.signal!.reason as Error)
  watch.signal?.addEventListener('abort', end, { once: true })
  try {
    await promise
  } finally {
    watch.signal?.removeEventListener('abort', end)
    await worker.terminate()
  }
}
