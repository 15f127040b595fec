import { parentPort, workerData } from 'node:worker_threads'

import { Reader } from '../../../db/reader.ts'
import { ArchiveProblem } from '../archive/problem.ts'
import { ThreadCode } from '../projects/export/thread/code-reader.ts'
import type { RelationFileReport, RelationFilesOrder } from './messages.ts'
import { writeRelation } from './write-relation.ts'

const say = (report: RelationFileReport): void => parentPort?.postMessage(report)
const { database, code: place, files, ...rest } = workerData as RelationFilesOrder

const db = new Reader(database)
const code = new ThreadCode(place)
// All of them are of one moment, so that what refers to each other fits.
db.pin()
for (const { relation, target } of files) {
  try {
    const records = await writeRelation({ ...rest, db, code }, relation, target)
    say({ kind: 'written', relation, records })
  } catch (error) {
    const { message, stack = '' } = error as Error
    const sentence = error instanceof ArchiveProblem ? message : 'The relation could not be written.'
    say({ kind: 'failed', relation, sentence, stack })
  }
}
await code.close()
say({ kind: 'done' })
// A relation that failed in the middle may still be reading; the end of the thread ends that, too.
parentPort?.close()
