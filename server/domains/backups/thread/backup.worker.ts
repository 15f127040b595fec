import { parentPort, workerData } from 'node:worker_threads'

import { BackupProblem, sentenceOf } from '../archive/problem.ts'
import { UnusableDatabase } from '../../../db/pinned.ts'
import { backUp } from './back-up.ts'
import type { Order, Report, Step } from './messages.ts'
import { unpack, verify } from './unpack.ts'

/** How often progress is told. */
const TELL_MS = 250

const say = (report: Report): void => parentPort?.postMessage(report)
let told = 0

function progress(step: Step, done: number, total: number): void {
  const now = performance.now()
  if (now - told < TELL_MS && done < total) return
  told = now
  say({ kind: 'progress', step, done, total })
}

/** Resolves when the thread that started this one says that the moment has come. */
function momentCame(): Promise<void> {
  say({ kind: 'ready' })
  return new Promise((resolve) => parentPort?.once('message', () => resolve()))
}

async function carryOut(order: Order) {
  if (order.kind === 'backup') return backUp(order, { say, progress, isTime: momentCame })
  return order.kind === 'restore' ? unpack(order, progress) : verify(order, progress)
}

try {
  say({ kind: 'done', outcome: await carryOut(workerData as Order) })
} catch (error) {
  const expected = error instanceof BackupProblem || error instanceof UnusableDatabase
  const sentence = error instanceof UnusableDatabase ? error.message : sentenceOf(error)
  say({ kind: 'failed', sentence, stack: (error as Error).stack ?? '', expected })
}
parentPort?.close()
