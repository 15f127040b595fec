import { parentPort, workerData } from 'node:worker_threads'

import { ArchiveProblem } from '../../../archive/problem.ts'
import type { ArchiveOrder, ExportReport } from './messages.ts'
import { writeProject } from './write-archive.ts'

/** How often progress is told. */
const TELL_MS = 250
let told = -Infinity
let step = ''

function say(report: ExportReport): void {
  if (report.kind === 'progress') {
    const now = performance.now()
    if (report.step === step && now - told < TELL_MS && report.done < report.total) return
    told = now
    step = report.step
  }
  parentPort?.postMessage(report)
}

const ready = Promise.withResolvers<void>()
parentPort?.once('message', () => ready.resolve())

try {
  const made = await writeProject(workerData as ArchiveOrder, { say, bundles: () => ready.promise })
  say({ kind: 'done', ...made })
} catch (error) {
  const { message, stack = '' } = error as Error
  say({ kind: 'failed', sentence: message, stack, expected: error instanceof ArchiveProblem })
}
parentPort?.close()
