import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import { RELATIONS } from '../../../relations/index.ts'
import type { Fields, Relation, Source } from '../../../relations/relation.ts'

/** Lines are gathered into pieces of this size: each has its price on the way. */
const PIECE = 64 * 1024
/** Progress is told after so many records. */
const TELL_EVERY = 100

/**
 * Writes the relations of a project as the tree of an archive (spec administration 6.2), one record after the other. Gives the number
 * of records.
 */
export async function writeTree(
  source: Source,
  folder: string,
  { description, tell }: { description: string | null; tell: (done: number, total: number) => void },
): Promise<number> {
  const relations = RELATIONS.filter(({ of }) => of.includes('project'))
  const total = relations.reduce((sum, relation) => sum + relation.count(source), 0)
  await mkdir(join(folder, 'tree', 'project'), { recursive: true, mode: 0o700 })
  let done = 0
  const told = (): void => {
    done += 1
    if (done % TELL_EVERY === 0) tell(done, Math.max(done, total))
  }
  for (const relation of relations) {
    const isProject = relation.name === 'project'
    const name = isProject ? 'project.json' : `project/${relation.name}.ndjson`
    const change =
      isProject && description !== null ? (record: Fields) => ({ ...record, description }) : undefined
    await writeLines(relation, source, join(folder, 'tree', name), { told, change })
  }
  tell(done, Math.max(done, total))
  return done
}

/** Writes the records of one relation, one a line; a single one is `null` where there is none. */
export async function writeLines(
  relation: Relation,
  source: Source,
  file: string,
  { told, change }: { told: () => void; change?: ((record: Fields) => Fields) | undefined },
): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const pieces = Readable.from(piecesOf(relation, source, { told, change }), { objectMode: false })
  await pipeline(pieces, createWriteStream(file, { mode: 0o600 }))
}

/** The lines of a relation, gathered. */
export async function* piecesOf(
  relation: Relation,
  source: Source,
  {
    told,
    change = (record) => record,
  }: { told: () => void; change?: ((record: Fields) => Fields) | undefined },
): AsyncGenerator<string> {
  let piece = ''
  let isEmpty = true
  for await (const record of relation.records(source)) {
    isEmpty = false
    piece += `${JSON.stringify(change(record))}\n`
    told()
    if (piece.length < PIECE) continue
    yield piece
    piece = ''
  }
  if (isEmpty && relation.single) piece = 'null\n'
  if (piece !== '') yield piece
}
