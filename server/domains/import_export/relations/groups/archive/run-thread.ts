import { runInThread, workerFile } from '../../../../../threads/thread.ts'
import { ArchiveProblem } from '../../../archive/problem.ts'
import type { GroupsOrder, GroupsProgress, GroupsWork } from './messages.ts'

/**
 * Starts a thread that writes an archive of groups and returns its size. Rejects with ArchiveProblem, which has a message for
 * users, or with the reason of an aborted signal. The caller then removes the partial files.
 */
export function writeGroupArchive(
  order: GroupsOrder,
  { signal, onProgress }: { readonly signal?: AbortSignal; onProgress?(progress: GroupsProgress): void } = {},
): Promise<number> {
  const file = workerFile(import.meta.url, './groups')
  const options = { signal, onReport: onProgress, memoryMb: 512, problem: ArchiveProblem }
  return runInThread<GroupsWork>(file, order, options)
}
