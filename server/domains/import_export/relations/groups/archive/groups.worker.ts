import { parentPort, workerData } from 'node:worker_threads'

import { ArchiveProblem } from '../../../archive/problem.ts'
import type { GroupsOrder, GroupsReport } from './messages.ts'
import { writeGroups } from './write-groups.ts'

/** How often progress is told. */
const TELL_MS = 250
let told = -Infinity

function say(report: GroupsReport): void {
  if (report.kind === 'progress') {
    const now = performance.now()
    if (now - told < TELL_MS) return
    told = now
  }
  parentPort?.postMessage(report)
}

try {
  say({ kind: 'done', size: await writeGroups(workerData as GroupsOrder, say) })
} catch (error) {
  const { message, stack = '' } = error as Error
  say({ kind: 'failed', sentence: message, stack, expected: error instanceof ArchiveProblem })
}
parentPort?.close()
