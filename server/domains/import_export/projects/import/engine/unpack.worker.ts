import { parentPort, workerData } from 'node:worker_threads'

import { ArchiveProblem } from '../../../archive/problem.ts'
import { unpackArchive, type UnpackLimits } from '../../../archive/unpack.ts'
import { shortenSnippets } from './snippet-records.ts'

/** How often progress is told. */
const TELL_MS = 250

const { file, folder, limits } = workerData as { file: string; folder: string; limits: UnpackLimits }
let told = 0

function onBytes(done: number, total: number): void {
  const now = performance.now()
  if (now - told < TELL_MS && done < total) return
  told = now
  parentPort?.postMessage({ kind: 'progress', done, total })
}

try {
  await unpackArchive(file, folder, limits, { onBytes })
  await shortenSnippets(folder)
  parentPort?.postMessage({ kind: 'done' })
} catch (error) {
  const { message, stack = '' } = error as Error
  parentPort?.postMessage({ kind: 'failed', message, stack, expected: error instanceof ArchiveProblem })
}
