import { createReadStream, createWriteStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import type { Reader } from '../../../../../db/reader.ts'
import { ARCHIVE_REVISION_FILE, ARCHIVE_VERSION_FILE } from '../../../../../lib/aliases.ts'
import { objectParts } from '../../../../../lib/lfs.ts'
import type { ArchiveEntry } from '../../../archive/write.ts'
import type { ArchiveOrder } from './messages.ts'

/** The layout that archives have (spec administration 6.2); who reads them wants exactly this one. */
const LAYOUT = '0.2.4'
const LARGE_FILES = 'lfs-objects.json'

/** Where the list of files that lie elsewhere is put for a while: memory does not grow with them. */
export const listOf = (order: ArchiveOrder): string => `${order.target}.files`

interface Listed {
  readonly name: string
  readonly file: string
}

/** Writes down which files of the project lie elsewhere, and which large files belong to which of its repositories. */
export async function listFiles(order: ArchiveOrder, db: Reader): Promise<void> {
  const lines = Readable.from(linesOf(order, db), { objectMode: false })
  await pipeline(lines, createWriteStream(listOf(order), { mode: 0o600 }))
  const types = Readable.from(largeFileTypes(order, db), { objectMode: false })
  await pipeline(types, createWriteStream(join(order.folder, LARGE_FILES), { mode: 0o600 }))
}

function* linesOf({ projectId, avatar, uploads, lfs }: ArchiveOrder, db: Reader): Generator<string> {
  const line = (listed: Listed): string => `${JSON.stringify(listed)}\n`
  if (avatar) yield line({ name: `avatar/${avatar.name}`, file: avatar.file })
  const attached = db.each<{ secret: string; file_name: string }>(
    'SELECT secret, file_name FROM uploads WHERE project_id = ? ORDER BY id',
    projectId,
  )
  for (const { secret, file_name } of attached)
    yield line({ name: `uploads/${secret}/${file_name}`, file: join(uploads, secret, file_name) })
  for (const { oid } of objects(projectId, db))
    yield line({ name: `lfs-objects/${oid}`, file: join(lfs, ...objectParts(oid)) })
}

function objects(projectId: number, db: Reader): IterableIterator<{ oid: string; types: string }> {
  return db.each<{ oid: string; types: string }>(
    `SELECT o.oid, json_group_array(p.repository_type) AS types FROM lfs_objects_projects p
     JOIN lfs_objects o ON o.id = p.lfs_object_id WHERE p.project_id = ? GROUP BY o.id ORDER BY o.id`,
    projectId,
  )
}

function* largeFileTypes({ projectId }: ArchiveOrder, db: Reader): Generator<string> {
  let mark = '{'
  for (const { oid, types } of objects(projectId, db)) {
    yield `${mark}${JSON.stringify(oid)}:${types}`
    mark = ','
  }
  yield mark === '{' ? '{}' : '}'
}

/** Everything that goes into the archive, marks first. What is gone by now is left out. */
export async function* entriesOf(order: ArchiveOrder): AsyncGenerator<ArchiveEntry> {
  yield { name: 'VERSION', bytes: LAYOUT }
  yield { name: ARCHIVE_VERSION_FILE, bytes: order.version }
  yield { name: ARCHIVE_REVISION_FILE, bytes: order.revision }
  for await (const { name, file } of located(order)) yield { name, file }
}

/** Bytes of all files that go into the archive. */
export async function bytesOf(order: ArchiveOrder): Promise<number> {
  let bytes = 0
  for await (const { size } of located(order)) bytes += size
  return bytes
}

async function* located(order: ArchiveOrder): AsyncGenerator<Listed & { size: number }> {
  for (const entry of await readdir(order.folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = join(entry.parentPath, entry.name)
    const name = file.slice(order.folder.length + 1).replaceAll('\\', '/')
    yield { name, file, size: (await stat(file)).size }
  }
  const lines = createInterface({ input: createReadStream(listOf(order)), crlfDelay: Infinity })
  for await (const line of lines) {
    const listed = JSON.parse(line) as Listed
    const found = await stat(listed.file).catch(() => undefined)
    if (found?.isFile()) yield { ...listed, size: found.size }
  }
}
