import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import { RELATIONS } from '../../../relations/index.ts'
import type { Fields, Relation, Source } from '../../../relations/relation.ts'

/** Lines are buffered up to this size, because writing each line separately is slow. */
const PIECE = 64 * 1024
/** Records between two reports of progress. */
const REPORT_EVERY = 100

/**
 * Writes the relations of a project as the tree of an archive (spec administration 6.2), one record after the other. Returns
 * the number of records.
 */
export async function writeTree(
  source: Source,
  folder: string,
  { description, report }: { description: string | null; report: (done: number, total: number) => void },
): Promise<number> {
  const relations = RELATIONS.filter(({ of }) => of.includes('project'))
  const total = relations.reduce((sum, relation) => sum + relation.count(source), 0)
  await mkdir(join(folder, 'tree', 'project'), { recursive: true, mode: 0o700 })
  let done = 0
  const onRecord = (): void => {
    done += 1
    if (done % REPORT_EVERY === 0) report(done, Math.max(done, total))
  }
  for (const relation of relations) {
    const isProject = relation.name === 'project'
    const name = isProject ? 'project.json' : `project/${relation.name}.ndjson`
    const change =
      isProject && description !== null ? (record: Fields) => ({ ...record, description }) : undefined
    await writeLines(relation, source, join(folder, 'tree', name), { onRecord, change })
  }
  report(done, Math.max(done, total))
  return done
}

/** Writes the records of one relation, one per line. A missing single record is written as `null`. */
export async function writeLines(
  relation: Relation,
  source: Source,
  file: string,
  { onRecord, change }: { onRecord: () => void; change?: ((record: Fields) => Fields) | undefined },
): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const pieces = Readable.from(piecesOf(relation, source, { onRecord, change }), { objectMode: false })
  await pipeline(pieces, createWriteStream(file, { mode: 0o600 }))
}

/** The buffered lines of a relation. */
export async function* piecesOf(
  relation: Relation,
  source: Source,
  {
    onRecord,
    change = (record) => record,
  }: { onRecord: () => void; change?: ((record: Fields) => Fields) | undefined },
): AsyncGenerator<string> {
  let piece = ''
  let isEmpty = true
  for await (const record of relation.records(source)) {
    isEmpty = false
    piece += `${JSON.stringify(change(record))}\n`
    onRecord()
    if (piece.length < PIECE) continue
    yield piece
    piece = ''
  }
  if (isEmpty && relation.single) piece = 'null\n'
  if (piece !== '') yield piece
}
