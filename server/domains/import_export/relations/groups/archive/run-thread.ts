import { Worker } from 'node:worker_threads'

import { ArchiveProblem } from '../../../archive/problem.ts'
import type { GroupsOrder, GroupsReport } from './messages.ts'

type Progress = Extract<GroupsReport, { kind: 'progress' }>

/**
 * Has a thread write an archive of groups. Rejects with ArchiveProblem for what people are told, and with the reason of the signal
 * when it is ended. What is left then is the caller's to remove.
 */
export async function writeGroupArchive(
  order: GroupsOrder,
  watch: { readonly signal?: AbortSignal; onProgress?(progress: Progress): void } = {},
): Promise<{ size: number }> {
  watch.signal?.throwIfAborted()
  // Beside this file in the sources, beside the bundle once it is built.
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const worker = new Worker(new URL(`./groups.worker.${extension}`, import.meta.url), {
    workerData: order,
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  })
  worker.unref()
  const { promise, resolve, reject } = Promise.withResolvers<{ size: number }>()
  worker.on('message', (report: GroupsReport) => {
    if (report.kind === 'progress') watch.onProgress?.(report)
    else if (report.kind === 'done') resolve({ size: report.size })
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
