import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'

import { Reader } from '../../../db/reader.ts'
import { serve } from '../../../threads/serve.ts'
import { ArchiveProblem } from '../archive/unpack.ts'
import { RepositoryReader, chunksOf } from '../projects/export/thread/write-archive.ts'
import { RELATIONS } from '../relations/index.ts'
import type { Source } from '../relations/relation.ts'
import type { RelationFilesWork } from './messages.ts'

// A failed relation may leave its reading unfinished. The end of the thread stops it.
serve<RelationFilesWork>(async ({ database, code: repository, files, ...rest }, main) => {
  const db = new Reader(database)
  const code = new RepositoryReader(repository)
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

/**
 * Writes one relation of a project or group as gzipped lines, one per record. Returns the number of records. Throws
 * ArchiveProblem for an unknown relation.
 */
async function writeRelation(source: Source, name: string, target: string): Promise<number> {
  const { kind } = source.owner
  const relationName = name === 'self' ? kind : name
  const relation = RELATIONS.find(
    (candidate) => candidate.name === relationName && candidate.ownerKinds.includes(kind),
  )
  if (!relation) throw new ArchiveProblem('The relation does not exist.')
  let records = 0
  const chunks = chunksOf(relation, source, { onRecord: () => (records += 1) })
  await pipeline(
    Readable.from(chunks, { objectMode: false }),
    createGzip(),
    createWriteStream(target, { mode: 0o600 }),
  )
  return records
}
