import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'

import { ArchiveProblem } from '../archive/problem.ts'
import { piecesOf } from '../projects/export/thread/write-tree.ts'
import { RELATIONS } from '../relations/index.ts'
import type { Source } from '../relations/relation.ts'

/**
 * Writes one relation of a project or group as gzipped lines, one per record. Returns the number of records. Throws
 * ArchiveProblem for an unknown relation.
 */
export async function writeRelation(source: Source, name: string, target: string): Promise<number> {
  const { kind } = source.owner
  const wanted = name === 'self' ? kind : name
  const relation = RELATIONS.find((one) => one.name === wanted && one.of.includes(kind))
  if (!relation) throw new ArchiveProblem('There is no such relation.')
  let records = 0
  const pieces = piecesOf(relation, source, { onRecord: () => (records += 1) })
  await pipeline(
    Readable.from(pieces, { objectMode: false }),
    createGzip(),
    createWriteStream(target, { mode: 0o600 }),
  )
  return records
}
