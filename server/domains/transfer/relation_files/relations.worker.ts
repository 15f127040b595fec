import { parentPort, workerData } from 'node:worker_threads'

import { ArchiveProblem } from '../archive/problem.ts'
import { writeRelation } from '../exports/thread/write-archive.ts'
import type { RelationFilesOrder, RelationFileReport } from './messages.ts'

const say = (report: RelationFileReport): void => parentPort?.postMessage(report)
const way = { say: () => undefined, bundles: () => Promise.resolve() }

for (const { relation, target } of (workerData as RelationFilesOrder).files) {
  const { files: _files, ...order } = workerData as RelationFilesOrder
  try {
    const { records } = await writeRelation({ ...order, kind: 'relation', relation, target }, way)
    say({ kind: 'written', relation, records })
  } catch (error) {
    const { message, stack = '' } = error as Error
    const sentence = error instanceof ArchiveProblem ? message : 'The relation could not be written.'
    say({ kind: 'failed', relation, sentence, stack })
  }
}
say({ kind: 'done' })
parentPort?.close()
