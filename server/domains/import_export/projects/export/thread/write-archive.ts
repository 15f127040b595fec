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
import { LAYOUT_VERSION, writeArchive, type ArchiveEntry } from '../../../archive/write.ts'
import { RELATIONS } from '../../../relations/index.ts'
import type { Source, Fields, Relation, CodeReader, VersionCommit } from '../../../relations/relation.ts'
import type { ArchiveTask, ExportProgress, ExportWork, RepositorySource } from './messages.ts'
import { ARCHIVE_REVISION_FILE, ARCHIVE_VERSION_FILE } from '../../../../../lib/aliases.ts'
import { objectParts } from '../../../../../lib/lfs.ts'
import { lfsObjectsOf, uploadsOf } from '../../../exports/store.ts'

/** Limits of exported diffs. Other instances import no larger ones (spec core, limits of diffs). */
const LIMITS = { max_files: 1000, max_lines: 50_000, max_bytes: 5 * 1024 * 1024, max_file_bytes: 200 * 1024 }
/** Number of commits that one git process reads. */
const COMMITS_PER_BATCH = 200

/** Reads the repository of a project in a thread. The caller must close it. */
export class RepositoryReader implements CodeReader {
  readonly #git: Git | undefined
  readonly #gitDir: string

  constructor(source: RepositorySource | null) {
    this.#gitDir = source?.gitDir ?? ''
    if (source === null) return
    const noSpawner = { minMemoryBytes: Infinity }
    const { binary, home } = source
    this.#git = createGit({ binary, home, spawner: noSpawner, cacheBytes: 1024 * 1024, maxCatFiles: 1 })
  }

  async *diffs(pairs: Iterable<readonly [from: string, to: string]>) {
    if (this.#git) return yield* diffMany(repoAt(this.#git, this.#gitDir), pairs, LIMITS)
    for (const _ of pairs) yield null
  }

  async *commits(ids: Iterable<string>): AsyncGenerator<VersionCommit | null> {
    let batch: string[] = []
    for (const id of ids) {
      batch.push(id)
      if (batch.length < COMMITS_PER_BATCH) continue
      yield* await this.#read(batch)
      batch = []
    }
    yield* await this.#read(batch)
  }

  async close(): Promise<void> {
    await this.#git?.close()
  }

  async #read(ids: readonly string[]): Promise<(VersionCommit | null)[]> {
    if (!this.#git) return ids.map(() => null)
    const commits = await readCommits(repoAt(this.#git, this.#gitDir), ids)
    const byId = new Map(commits.map((commit) => [commit.id, commit]))
    return ids.map((id) => byId.get(id) ?? null)
  }
}

/** Lines are joined up to this length, because writing each line separately is slow. */
const CHUNK_CHARACTERS = 64 * 1024
/** Number of records between two reports of progress. */
const REPORT_INTERVAL = 100

/**
 * Writes the relations of a project as the tree of an archive (spec administration 6.2), one record after the other.
 * Returns the number of records.
 */
async function writeTree(
  source: Source,
  folder: string,
  { description, report }: { description: string | null; report: (done: number, total: number) => void },
): Promise<number> {
  const relations = RELATIONS.filter(({ ownerKinds }) => ownerKinds.includes('project'))
  const total = relations.reduce((sum, relation) => sum + relation.count(source), 0)
  await mkdir(join(folder, 'tree', 'project'), { recursive: true, mode: 0o700 })
  let done = 0
  const onRecord = (): void => {
    done += 1
    if (done % REPORT_INTERVAL === 0) report(done, Math.max(done, total))
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
  const chunks = Readable.from(chunksOf(relation, source, { onRecord, change }), { objectMode: false })
  await pipeline(chunks, createWriteStream(file, { mode: 0o600 }))
}

/** The lines of a relation, several in each chunk. */
export async function* chunksOf(
  relation: Relation,
  source: Source,
  {
    onRecord,
    change = (record) => record,
  }: { onRecord: () => void; change?: ((record: Fields) => Fields) | undefined },
): AsyncGenerator<string> {
  let chunk = ''
  let isEmpty = true
  for await (const record of relation.records(source)) {
    isEmpty = false
    chunk += `${JSON.stringify(change(record))}\n`
    onRecord()
    if (chunk.length < CHUNK_CHARACTERS) continue
    yield chunk
    chunk = ''
  }
  if (isEmpty && relation.single) chunk = 'null\n'
  if (chunk !== '') yield chunk
}

const LFS_OBJECTS_FILE = 'lfs-objects.json'

/**
 * The temporary file with the list of files outside the database. A file, so that memory does not grow with their
 * number.
 */
export const fileListPath = (task: ArchiveTask): string => `${task.target}.files`

interface ListedFile {
  readonly name: string
  readonly file: string
}

/** Lists the project's files outside the database, and the repositories that refer to each LFS object. */
export async function listFiles(task: ArchiveTask, db: Reader): Promise<void> {
  const lines = Readable.from(fileListLines(task, db), { objectMode: false })
  await pipeline(lines, createWriteStream(fileListPath(task), { mode: 0o600 }))
  const types = Readable.from(lfsObjectTypes(task, db), { objectMode: false })
  await pipeline(types, createWriteStream(join(task.folder, LFS_OBJECTS_FILE), { mode: 0o600 }))
}

function* fileListLines({ projectId, avatar, uploads, lfs }: ArchiveTask, db: Reader): Generator<string> {
  const line = (listed: ListedFile): string => `${JSON.stringify(listed)}\n`
  if (avatar) yield line({ name: `avatar/${avatar.name}`, file: avatar.file })
  for (const { secret, file_name } of uploadsOf(db, projectId))
    yield line({ name: `uploads/${secret}/${file_name}`, file: join(uploads, secret, file_name) })
  for (const { oid } of lfsObjectsOf(db, projectId))
    yield line({ name: `lfs-objects/${oid}`, file: join(lfs, ...objectParts(oid)) })
}

function* lfsObjectTypes({ projectId }: ArchiveTask, db: Reader): Generator<string> {
  let separator = '{'
  for (const { oid, types } of lfsObjectsOf(db, projectId)) {
    yield `${separator}${JSON.stringify(oid)}:${types}`
    separator = ','
  }
  yield separator === '{' ? '{}' : '}'
}

/**
 * All entries of the archive, starting with the version files, without files that were deleted in the meantime.
 */
export async function* entriesOf(task: ArchiveTask): AsyncGenerator<ArchiveEntry> {
  yield { name: 'VERSION', bytes: LAYOUT_VERSION }
  yield { name: ARCHIVE_VERSION_FILE, bytes: task.version }
  yield { name: ARCHIVE_REVISION_FILE, bytes: task.revision }
  for await (const { name, file } of archiveFiles(task)) yield { name, file }
}

/** Total size of all files in the archive, in bytes. */
export async function bytesOf(task: ArchiveTask): Promise<number> {
  let bytes = 0
  for await (const { size } of archiveFiles(task)) bytes += size
  return bytes
}

async function* archiveFiles(task: ArchiveTask): AsyncGenerator<ListedFile & { size: number }> {
  for (const entry of await readdir(task.folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = join(entry.parentPath, entry.name)
    const name = file.slice(task.folder.length + 1).replaceAll('\\', '/')
    yield { name, file, size: (await stat(file)).size }
  }
  const lines = createInterface({ input: createReadStream(fileListPath(task)), crlfDelay: Infinity })
  for await (const line of lines) {
    const listedFile = JSON.parse(line) as ListedFile
    const stats = await stat(listedFile.file).catch(() => undefined)
    if (stats?.isFile()) yield { ...listedFile, size: stats.size }
  }
}

/** The calls of the thread to the main thread. */
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
  const { records, bundles } = await withSnapshot(task, async (source) => {
    const bundlesWritten = main.bundles()
    await listFiles(task, source.db)
    const { folder, description } = task
    const count = await writeTree(source, folder, { description, report: progressOf('tree') })
    return { records: count, bundles: bundlesWritten }
  })
  await bundles
  const total = await bytesOf(task)
  let done = 0
  const onBytes = (bytes: number): void => progressOf('packing')((done += bytes), total)
  const { size } = await writeArchive(task.target, entriesOf(task), { mtime: new Date(task.now), onBytes })
  await rm(fileListPath(task), { force: true })
  return { size, records }
}

async function withSnapshot<T>(
  { database, projectId, code, url, includesGroupMembers }: ArchiveTask,
  work: (source: Source) => Promise<T>,
): Promise<T> {
  const db = new Reader(database)
  const reader = new RepositoryReader(code)
  try {
    db.pin()
    const owner = { kind: 'project', id: projectId } as const
    const result = await work({ db, owner, code: reader, url, includesGroupMembers })
    // Lets SQLite truncate the write-ahead log again. After a failure, the end of the thread closes the connection.
    db.close()
    return result
  } finally {
    await reader.close()
  }
}
