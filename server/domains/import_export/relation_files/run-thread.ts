import { runInThread, workerFile } from '../../../threads/thread.ts'
import type { RelationFileReport, RelationFilesOrder, RelationFilesWork } from './messages.ts'

/**
 * Starts a thread that writes each relation into a gzipped file with one record per line. Calls `onFile` for each file or
 * failure. Rejects with the reason of an aborted signal. The caller then removes the files written so far.
 */
export function writeRelationFiles(
  order: RelationFilesOrder,
  { signal, onFile }: { readonly signal?: AbortSignal; onFile(report: RelationFileReport): void },
): Promise<void> {
  const file = workerFile(import.meta.url, './relations')
  return runInThread<RelationFilesWork>(file, order, { signal, onReport: onFile, memoryMb: 512 })
}
