import { parentPort, workerData } from 'node:worker_threads'

import { Reader } from '../../../../../db/reader.ts'
import { UnusableRecord } from '../../../relations/relation.ts'
import type { Order, Report } from './messages.ts'
import { Taking } from './taking.ts'

/** So many batches may wait for being written. */
const MAX_WAITING = 3

const say = (report: Report): void => {
  if (report.kind === 'batch') waiting++
  parentPort?.postMessage(report)
}
let waiting = 0
let wake: (() => void) | undefined

// Whatever the main thread says means that it has written a batch.
parentPort?.on('message', () => {
  waiting--
  wake?.()
})

async function room(): Promise<void> {
  while (waiting >= MAX_WAITING) await new Promise<void>((resolve) => (wake = resolve))
}

const order = workerData as Order
const db = new Reader(order.database)
try {
  say({ kind: 'done', ...(await new Taking(order, { say, room }, db).run()) })
} catch (error) {
  const { message, stack = '' } = error as Error
  say({ kind: 'failed', sentence: message, stack, expected: error instanceof UnusableRecord })
}
// The main thread ends this one, once it has written all.
db.close()
