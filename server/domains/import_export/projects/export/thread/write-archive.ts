import { rm, readdir, stat, mkdir } from 'node:fs/promises'
import { createReadStream, createWriteStream } from 'node:fs'
import { join, dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import { Reader } from '../../../../../db/reader.ts'
import { createGit, repoAt } from '../../../../../git/process/engine.ts'
import { readCommits } from '../../../../../git/read/commits.ts'
import { diffMany } from '../../../../../git/read/diff-many.ts'
import type { Git } from '../../../../../git/types.ts'
import { writeArchive, type ArchiveEntry } from '../../../archive/write.ts'
import { RELATIONS } from '../../../relations/index.ts'
import type { Source, Fields, Relation, CodeReader, CommitOfDiff } from '../../../relations/relation.ts'
import type { ArchiveTask, ExportProgress, ExportWork, RepositorySource } from './messages.ts'
import { ARCHIVE_REVISION_FILE, ARCHIVE_VERSION_FILE } from '../../../../../lib/aliases.ts'
import { objectParts } from '../../../../../lib/lfs.ts'
import { lfsObjectsOf, uploadsOf } from '../../../exports/store.ts'

/** Maximum size of a diff: as much as other instances import (spec core, limits of diffs). */
const LIMITS = { max_files: 1000, max_lines: 50_000, max_bytes: 5 * 1024 * 1024, max_file_bytes: 200 * 1024 }
/** Number of commits that one git process reads. */
const AT_ONCE = 200

/** Reads the code of a project in a thread. The caller must close it. */
export class ThreadCode implements CodeReader {
  readonly #git: Git | undefined
  readonly #gitDir: string

  constructor(source: RepositorySource | null) {
    this.#gitDir = source?.gitDir ?? ''
    if (source === null) return
    const never = { minMemoryBytes: Infinity }
    const { binary, home } = source
    this.#git = createGit({ binary, home, spawner: never, cacheBytes: 1024 * 1024, maxCatFiles: 1 })
  }

  async *diffs(pairs: Iterable<readonly [from: string, to: string]>) {
    if (this.#git) return yield* diffMany(repoAt(this.#git, this.#gitDir), pairs, LIMITS)
    for (const _ of pairs) yield null
  }

  async *commits(ids: Iterable<string>): AsyncGenerator<CommitOfDiff | null> {
    let batch: string[] = []
    for (const id of ids) {
      batch.push(id)
      if (batch.length < AT_ONCE) continue
      yield* await this.#read(batch)
      batch = []
    }
    yield* await this.#read(batch)
  }

  async close(): Promise<void> {
    await this.#git?.close()
  }

  async #read(ids: readonly string[]): Promise<(CommitOfDiff | null)[]> {
    if (!this.#git) return ids.map(() => null)
    const commits = await readCommits(repoAt(this.#git, this.#gitDir), ids)
    const byId = new Map(commits.map((commit) => [commit.id, commit]))
    return ids.map((id) => byId.get(id) ?? null)
  }
}

/** Lines are buffered up to this size, because writing each line separately is slow. */
const PIECE = 64 * 1024
/** Records between two reports of progress. */
const REPORT_EVERY = 100

/**
 * Writes the relations of a project as the tree of an archive (spec administration 6.2), one record after the other.
 * Returns the number of records.
 */
async function writeTree(
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
async function writeLines(
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

/** The layout version of archives (spec administration 6.2). Readers accept only this version. */
const LAYOUT = '0.2.4'
const LARGE_FILES = 'lfs-objects.json'

/** Temporary file for the list of files outside the database, so that memory does not grow with their number. */
export const listOf = (task: ArchiveTask): string => `${task.target}.files`

interface Listed {
  readonly name: string
  readonly file: string
}

/** Lists the project's files outside the database, and the repositories that refer to each LFS object. */
export async function listFiles(task: ArchiveTask, db: Reader): Promise<void> {
  const lines = Readable.from(linesOf(task, db), { objectMode: false })
  await pipeline(lines, createWriteStream(listOf(task), { mode: 0o600 }))
  const types = Readable.from(largeFileTypes(task, db), { objectMode: false })
  await pipeline(types, createWriteStream(join(task.folder, LARGE_FILES), { mode: 0o600 }))
}

function* linesOf({ projectId, avatar, uploads, lfs }: ArchiveTask, db: Reader): Generator<string> {
  const line = (listed: Listed): string => `${JSON.stringify(listed)}\n`
  if (avatar) yield line({ name: `avatar/${avatar.name}`, file: avatar.file })
  for (const { secret, file_name } of uploadsOf(db, projectId))
    yield line({ name: `uploads/${secret}/${file_name}`, file: join(uploads, secret, file_name) })
  for (const { oid } of lfsObjectsOf(db, projectId))
    yield line({ name: `lfs-objects/${oid}`, file: join(lfs, ...objectParts(oid)) })
}

function* largeFileTypes({ projectId }: ArchiveTask, db: Reader): Generator<string> {
  let mark = '{'
  for (const { oid, types } of lfsObjectsOf(db, projectId)) {
    yield `${mark}${JSON.stringify(oid)}:${types}`
    mark = ','
  }
  yield mark === '{' ? '{}' : '}'
}

/**
 * All entries of the archive, starting with the version files. Files that were deleted in the meantime are left out.
 */
export async function* entriesOf(task: ArchiveTask): AsyncGenerator<ArchiveEntry> {
  yield { name: 'VERSION', bytes: LAYOUT }
  yield { name: ARCHIVE_VERSION_FILE, bytes: task.version }
  yield { name: ARCHIVE_REVISION_FILE, bytes: task.revision }
  for await (const { name, file } of located(task)) yield { name, file }
}

/** Total size of all files in the archive, in bytes. */
export async function bytesOf(task: ArchiveTask): Promise<number> {
  let bytes = 0
  for await (const { size } of located(task)) bytes += size
  return bytes
}

async function* located(task: ArchiveTask): AsyncGenerator<Listed & { size: number }> {
  for (const entry of await readdir(task.folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = join(entry.parentPath, entry.name)
    const name = file.slice(task.folder.length + 1).replaceAll('\\', '/')
    yield { name, file, size: (await stat(file)).size }
  }
  const lines = createInterface({ input: createReadStream(listOf(task)), crlfDelay: Infinity })
  for await (const line of lines) {
    const listed = JSON.parse(line) as Listed
    const stats = await stat(listed.file).catch(() => undefined)
    if (stats?.isFile()) yield { ...listed, size: stats.size }
  }
}

/** The functions that the thread needs from the main thread. */
export interface MainThreadCalls {
  progress(progress: ExportProgress): void
  /** Reports that the database snapshot is open. Resolves when the bundles for this snapshot are in the folder. */
  bundles(): Promise<void>
}

/**
 * Writes the archive of a project: first the records of one database snapshot, then the files. Memory use does not
 * depend on the size of the project.
 */
export async function writeProject(task: ArchiveTask, main: MainThreadCalls): Promise<ExportWork['result']> {
  const progressOf =
    (step: 'tree' | 'packing') =>
    (done: number, total: number): void =>
      main.progress({ step, done, total })
  const { records, bundles } = await reading(task, async (source) => {
    const written = main.bundles()
    await listFiles(task, source.db)
    const { folder, description } = task
    const count = await writeTree(source, folder, { description, report: progressOf('tree') })
    return { records: count, bundles: written }
  })
  await bundles
  const total = await bytesOf(task)
  let done = 0
  const onBytes = (bytes: number): void => progressOf('packing')((done += bytes), total)
  const { size } = await writeArchive(task.target, entriesOf(task), { mtime: new Date(task.now), onBytes })
  await rm(listOf(task), { force: true })
  return { size, records }
}

async function reading<T>(
  { database, projectId, code, url, includesGroupMembers }: ArchiveTask,
  work: (source: Source) => Promise<T>,
): Promise<T> {
  const db = new Reader(database)
  const reader = new ThreadCode(code)
  try {
    db.pin()
    const owner = { kind: 'project', id: projectId } as const
    const result = await work({ db, owner, code: reader, url, includesGroupMembers })
    // Allows the database to truncate its write-ahead log again. After a failure the thread ends and closes the
    // connection.
    db.close()
    return result
  } finally {
    await reader.close()
  }
}
