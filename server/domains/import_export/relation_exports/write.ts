import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { copyFile, mkdir, rm, writeFile, mkdtemp } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createGunzip, createGzip, gzip } from 'node:zlib'
import { z } from 'zod'

import { dataPaths } from '../../../config.ts'
import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { readableFile } from '../../../db/other-connections.ts'
import { createBundle } from '../../../git/transport/bundle.ts'
import { job } from '../../../jobs/job.ts'
import { cancelable, RunInterrupted } from '../../../jobs/runs.ts'
import { syncFile, syncFolder } from '../../../lib/files/durable-file.ts'
import { runInThread, workerFile } from '../../../threads/thread.ts'
import { findGroup } from '../../groups/index.ts'
import { projectById, repoOf } from '../../projects/index.ts'
import { lfsFile, avatarFile } from '../../storage/index.ts'
import { writeArchive, type ArchiveEntry } from '../archive/write.ts'
import { exportFile, removeFiles, withCurrentTime } from '../exports/files.ts'
import { lfsObjectsOf, uploadsOf } from '../exports/store.ts'
import type { RelationFileReport, RelationFilesTask, RelationFilesWork } from '../relation_files/messages.ts'
import { attributesOf } from '../relations/groups.ts'
import type { Owner } from '../relations/relation.ts'
import { BATCH_SIZE, SELF, fileNameOf, isFileRelation } from './relations.ts'
import * as store from './store.ts'

/** The file name of one batch of a relation. */
const batchFile = (file: string, number: number): string => join(dirname(file), `${number}-${basename(file)}`)

/**
 * Splits a gzip file into gzip files with a fixed number of lines each, and deletes the original. Returns the number of
 * batches.
 */
async function splitIntoBatches(file: string, size: number): Promise<number> {
  if (!file.endsWith('.ndjson.gz')) {
    await copyFile(file, batchFile(file, 1))
    await rm(file)
    return 1
  }
  const source = createReadStream(file)
  const unpacked = createGunzip()
  source.once('error', (error) => unpacked.destroy(error)).pipe(unpacked)
  const lines = createInterface({ input: unpacked, crlfDelay: Infinity })[Symbol.asyncIterator]()
  let number = 0
  let next = await lines.next()
  while (!next.done || number === 0) {
    number++
    const batch = async function* (): AsyncGenerator<string> {
      for (let count = 0; count < size && !next.done; count++) {
        yield `${next.value}\n`
        next = await lines.next()
      }
    }
    const packed = Readable.from(batch(), { objectMode: false })
    await pipeline(packed, createGzip(), createWriteStream(batchFile(file, number), { mode: 0o600 }))
  }
  await rm(file)
  return number
}

const gzipAsync = promisify(gzip)
const FAILED = 'The relation could not be written.'

/** Writes the relations of a project or group with a started export. */
export const exportRelations = job(
  'group_transfer.export_relations',
  { args: { kind: z.enum(['project', 'group']), id: z.number() }, retries: 100, lane: 'outside' },
  (ctx, owner) => writeRelations(ctx, owner),
)

/** Writes all relations with a started export. Throws only if the owner is deleted or the instance stops. */
async function writeRelations(ctx: Ctx, owner: Owner): Promise<void> {
  const now = withCurrentTime(ctx)
  const rows = store.ofOwner(ctx.db, owner).filter(({ status }) => status === store.STARTED)
  try {
    const run = { name: `relations:${owner.kind}:${owner.id}`, [`${owner.kind}_id`]: owner.id }
    await cancelable(ctx, run, (signal) => new RelationWriter(now, owner, signal).write(rows))
  } catch (error) {
    if (error instanceof RunInterrupted) throw error
    ctx.log.error({ err: error, ...owner }, 'relations could not be written')
    for (const row of rows)
      if (store.byId(ctx.db, row.id)?.updated_at === row.updated_at)
        tx(ctx.db, () =>
          store.end(ctx.db, row, { ...NO_FILE, status: store.FAILED, error: FAILED }, now().now),
        )
  }
}

const NO_FILE = { file: null, error: null, batches_count: 0, total_objects_count: 0 }

type Row = store.RelationExport

/** Writes relations of one owner. */
class RelationWriter {
  readonly #now: () => Ctx
  readonly #owner: Owner
  readonly #signal: AbortSignal

  constructor(now: () => Ctx, owner: Owner, signal: AbortSignal) {
    this.#now = now
    this.#owner = owner
    this.#signal = signal
  }

  async write(rows: readonly Row[]): Promise<void> {
    const { kind } = this.#owner
    const targets = new Map<string, WriteTarget>()
    for (const row of rows) targets.set(row.relation, await this.#targetOf(row))
    const isRecord = ({ relation }: Row): boolean =>
      !isFileRelation(kind, relation) && !(kind === 'group' && relation === SELF)
    await this.#writeRecords(rows.filter(isRecord), targets)
    for (const row of rows.filter((entry) => !isRecord(entry))) {
      this.#signal.throwIfAborted()
      await this.#writeSingle(row, targets.get(row.relation)!)
    }
  }

  /** Creates a folder for the files of one relation. */
  async #targetOf({ relation }: Row): Promise<WriteTarget> {
    const { config, random } = this.#now()
    const name = random.hex(16)
    const folder = exportFile(config, 'relations', name)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    return { name, path: join(folder, fileNameOf(this.#owner.kind, relation)) }
  }

  async #writeRecords(rows: readonly Row[], targets: ReadonlyMap<string, WriteTarget>): Promise<void> {
    const ctx = this.#now()
    const { kind, id } = this.#owner
    const project = kind === 'project' ? projectById(ctx.db, id) : undefined
    const recordings: Promise<void>[] = []
    const source = readableFile(ctx.db, dataPaths(ctx.config.dataDir).tmp)
    await writeRelationFiles(
      {
        database: source.path,
        url: ctx.config.url,
        includesGroupMembers: true,
        code: project
          ? { binary: ctx.git.binary, home: ctx.git.home, gitDir: repoOf(ctx, project).gitDir }
          : null,
        owner: this.#owner,
        files: rows.map(({ relation }) => ({ relation, target: targets.get(relation)!.path })),
      },
      {
        signal: this.#signal,
        onFile: (report) => {
          const row = rows.find(({ relation }) => relation === report.relation)!
          const target = targets.get(report.relation)!
          if (report.kind === 'written') recordings.push(this.#recordSuccess(row, target, report.records))
          else {
            ctx.log.error(
              { relation: report.relation, stack: report.stack },
              'a relation could not be written',
            )
            recordings.push(this.#recordFailure(row, target, report.sentence))
          }
        },
      },
    ).finally(() => source.release())
    await Promise.all(recordings)
  }

  async #writeSingle(row: Row, target: WriteTarget): Promise<void> {
    const ctx = this.#now()
    try {
      if (row.relation !== SELF)
        await writeFilesOf(
          ctx,
          { owner: this.#owner, relation: row.relation, target: target.path },
          this.#signal,
        )
      else {
        const group = findGroup(ctx, String(this.#owner.id))
        if (!group) throw new RunInterrupted('canceled')
        await writeFile(target.path, await gzipAsync(JSON.stringify(attributesOf(group))))
      }
      await this.#recordSuccess(row, target, 1)
    } catch (error) {
      this.#signal.throwIfAborted()
      if (error instanceof RunInterrupted) throw error
      ctx.log.error({ err: error, relation: row.relation }, 'a relation could not be written')
      await this.#recordFailure(row, target, FAILED)
    }
  }

  async #recordSuccess(row: Row, target: WriteTarget, records: number): Promise<void> {
    const batches_count = row.batched ? await splitIntoBatches(target.path, BATCH_SIZE) : 0
    const files = Array.from({ length: batches_count }, (_, index) => batchFile(target.path, index + 1))
    for (const file of files.length > 0 ? files : [target.path]) await syncFile(file)
    await syncFolder(dirname(target.path))
    await this.#recordEnd(row, target, {
      status: store.FINISHED,
      file: target.name,
      error: null,
      batches_count,
      total_objects_count: records,
    })
  }

  async #recordFailure(row: Row, target: WriteTarget, error: string): Promise<void> {
    await this.#recordEnd(row, target, { ...NO_FILE, status: store.FAILED, error })
  }

  async #recordEnd(row: Row, { name }: WriteTarget, changes: Parameters<typeof store.end>[2]): Promise<void> {
    const ctx = this.#now()
    const isRecorded = tx(ctx.db, () => store.end(ctx.db, row, changes, ctx.now))
    if (!isRecorded) await removeFiles(ctx.config, 'relations', [name])
    else if (changes.file === null)
      await rm(exportFile(ctx.config, 'relations', name), { recursive: true, force: true })
  }
}

/** The folder of a relation's files, and the path of the file without batches. */
interface WriteTarget {
  readonly name: string
  readonly path: string
}

interface FileRelation {
  readonly owner: Owner
  readonly relation: string
  readonly target: string
}

/** Writes the archive of a relation that contains files instead of records (spec administration 6.7). */
async function writeFilesOf(ctx: Ctx, fileRelation: FileRelation, signal: AbortSignal): Promise<void> {
  if (fileRelation.relation === 'repository') return writeRepository(ctx, fileRelation, signal)
  const entries =
    fileRelation.relation === 'uploads'
      ? uploads(ctx, fileRelation.owner)
      : fileRelation.relation === 'lfs_objects'
        ? lfsObjects(ctx, fileRelation.owner.id)
        : []
  await writeArchive(fileRelation.target, entries, { signal, mtime: new Date(ctx.now) })
}

async function writeRepository(
  ctx: Ctx,
  { owner, target }: FileRelation,
  signal: AbortSignal,
): Promise<void> {
  const project = projectById(ctx.db, owner.id)
  const folder = await mkdtemp(join(dirname(target), 'bundle-'))
  try {
    const file = join(folder, 'repository.bundle')
    const hasBundle = project !== undefined && (await createBundle(repoOf(ctx, project), file, { signal }))
    const entries = hasBundle ? [{ name: 'repository.bundle', file }] : []
    await writeArchive(target, entries, { signal, mtime: new Date(ctx.now) })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function* uploads(ctx: Ctx, owner: Owner): Generator<ArchiveEntry> {
  const { kind, id } = owner
  const avatar = (kind === 'project' ? projectById(ctx.db, id) : findGroup(ctx, String(id)))?.avatar ?? null
  if (avatar !== null) {
    const file = avatarFile(ctx.config, kind, id, avatar)
    if (existsSync(file)) yield { name: `avatar/${avatar}`, file }
  }
  if (kind === 'group') return
  const folder = join(dataPaths(ctx.config.dataDir).uploads, 'project', String(id))
  for (const { secret, file_name } of uploadsOf(ctx.db, id)) {
    const file = join(folder, secret, file_name)
    if (existsSync(file)) yield { name: `${secret}/${file_name}`, file }
  }
}

function* lfsObjects(ctx: Ctx, projectId: number): Generator<ArchiveEntry> {
  const types: Record<string, unknown> = {}
  for (const object of lfsObjectsOf(ctx.db, projectId)) {
    const file = lfsFile(ctx.config, object.oid)
    if (!existsSync(file)) continue
    types[object.oid] = JSON.parse(object.types)
    yield { name: object.oid, file }
  }
  yield { name: 'lfs_objects.json', bytes: JSON.stringify(types) }
}

/**
 * Runs a thread that writes each relation into a gzip file with one record per line. Calls `onFile` for each file or
 * failure. Rejects with the reason of an aborted signal. The caller then removes written files.
 */
function writeRelationFiles(
  task: RelationFilesTask,
  { signal, onFile }: { readonly signal?: AbortSignal; onFile(report: RelationFileReport): void },
): Promise<void> {
  const file = workerFile(import.meta.url, '../relation_files/relations')
  return runInThread<RelationFilesWork>(file, task, { signal, onReport: onFile, memoryMb: 512 })
}
