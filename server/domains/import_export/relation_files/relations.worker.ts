import { Reader } from '../../../db/reader.ts'
import { serve } from '../../../threads/serve.ts'
import { ArchiveProblem } from '../archive/problem.ts'
import { ThreadCode } from '../projects/export/thread/code-reader.ts'
import type { RelationFilesWork } from './messages.ts'
import { writeRelation } from './write-relation.ts'

// A failed relation may still be reading. The end of the thread stops the reading.
serve<RelationFilesWork>(async ({ database, code: repository, files, ...rest }, main) => {
  const db = new Reader(database)
  const code = new ThreadCode(repository)
  // One snapshot for all relations keeps their references consistent.
  db.pin()
  for (const { relation, target } of files) {
    try {
      const records = await writeRelation({ ...rest, db, code }, relation, target)
      main.report({ kind: 'written', relation, records })
    } catch (error) {
      const { message, stack = '' } = error as Error
      const sentence = error instanceof ArchiveProblem ? message : 'The relation could not be written.'
      main.report({ kind: 'failed', relation, sentence, stack })
    }
  }
  await code.close()
})
