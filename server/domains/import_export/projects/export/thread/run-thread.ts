import { runInThread, workerFile } from '../../../../../threads/thread.ts'
import { ArchiveProblem } from '../../../archive/problem.ts'
import type { ArchiveOrder, ExportProgress, ExportWork } from './messages.ts'

/** Callbacks of the main thread. */
export interface Watch {
  readonly signal?: AbortSignal | undefined
  onProgress?(progress: ExportProgress): void
  /** Called when the database snapshot is open. The thread packs after it resolves and fails if it rejects. */
  onPinned?(): Promise<void>
}

/**
 * Starts a thread that writes an archive. Rejects with ArchiveProblem, which has a message for users, or with the reason of an
 * aborted signal. The caller then removes the partial files.
 */
export function runThread(
  order: ArchiveOrder,
  { signal, onProgress, onPinned }: Watch = {},
): Promise<ExportWork['result']> {
  return runInThread<ExportWork>(workerFile(import.meta.url, './export'), order, {
    signal,
    onReport: onProgress,
    onQuestion: onPinned,
    problem: ArchiveProblem,
    // Memory limit of the thread: a defect must not use up the memory of the machine.
    memoryMb: 512,
  })
}
