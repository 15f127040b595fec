import { createHash } from 'node:crypto'
import { rmSync, createReadStream, createWriteStream } from 'node:fs'
import { Transform, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

import type { Ctx } from '../../../ctx.ts'
import { tx, type Database } from '../../../db/database.ts'
import { addDays } from '../../../lib/clock.ts'
import { moveDurably } from '../../../lib/files/durable-file.ts'
import { removalsOf } from '../../../lib/gate.ts'
import { isOid, objectParts, type Pointer } from '../../../lib/lfs.ts'
import * as store from './store.ts'
import { dataPaths, type Config } from '../../../config.ts'
import { namesWrittenBefore, removeIfEmpty } from '../../../lib/files/folders.ts'

/** The error for a file with another digest or size than announced. */
export class LfsMismatch extends Error {}

/** The path of the LFS object with a digest. The object may not exist. */
export function lfsFile(config: Pick<Config, 'dataDir'>, oid: string): string {
  return join(dataPaths(config.dataDir).lfs, ...objectParts(oid))
}

/** Whether a file for the LFS object exists and has its size. */
export async function isStored(config: Pick<Config, 'dataDir'>, { oid, size }: Pointer): Promise<boolean> {
  const stats = await stat(lfsFile(config, oid)).catch(() => undefined)
  return stats?.isFile() === true && stats.size === size
}

/**
 * Writes a stream to a file and compares digest and size with the announced ones. On a difference, and immediately after
 * a byte too many, it removes the file and throws LfsMismatch.
 */
export async function receiveObject(
  stream: Readable,
  file: string,
  { oid, size }: Pointer,
  signal?: AbortSignal,
): Promise<void> {
  const digest = createHash('sha256')
  let length = 0
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      length += chunk.length
      if (length > size) return done(new LfsMismatch('The file is larger than announced.'))
      digest.update(chunk)
      done(null, chunk)
    },
  })
  try {
    await pipeline(
      [stream, meter, createWriteStream(file, { flags: 'wx', mode: 0o600 })],
      signal ? { signal } : {},
    )
    if (length !== size) throw new LfsMismatch('The file is smaller than announced.')
    if (digest.digest('hex') !== oid)
      throw new LfsMismatch('The SHA-256 of the file differs from the announced one.')
  } catch (error) {
    await rm(file, { force: true })
    throw error
  }
}

/** Returns the size of a file. Throws LfsMismatch if its digest is not `oid`. */
async function checkedSize(file: string, oid: string): Promise<number> {
  const digest = createHash('sha256')
  let size = 0
  for await (const chunk of createReadStream(file)) {
    size += (chunk as Buffer).length
    digest.update(chunk as Buffer)
  }
  if (digest.digest('hex') !== oid)
    throw new LfsMismatch('The content of a large file does not match its name.')
  return size
}

/** Moves a checked file to the path of its digest. Resolves when the file is safely on disk. */
function moveIntoStore(config: Pick<Config, 'dataDir'>, file: string, oid: string): Promise<void> {
  return moveDurably(file, lfsFile(config, oid))
}

const BATCH = 200

/**
 * The digests of files that are being moved into the store, each with the number of moves. These files have no row yet
 * and must not be removed.
 */
const arrivalCounts = (db: Database) => db.instance('lfs.arriving', () => new Map<string, number>())

/** Whether a file with a digest is being moved into the store. */
export function isArriving(db: Database, oid: string): boolean {
  return arrivalCounts(db).has(oid)
}

async function whileArriving<T>(db: Database, oid: string, work: () => Promise<T>): Promise<T> {
  const counts = arrivalCounts(db)
  counts.set(oid, (counts.get(oid) ?? 0) + 1)
  try {
    return await work()
  } finally {
    const remaining = counts.get(oid)! - 1
    if (remaining === 0) counts.delete(oid)
    else counts.set(oid, remaining)
  }
}

/** The owner of an object: a project and those of its repositories that refer to the object. */
export interface LfsOwner {
  readonly projectId: number
  /** 0 is the code, 1 the wiki, 2 designs. */
  readonly types: readonly number[]
}

/** Stores a checked temporary file as an object, with references from its owner. */
export function storeLfsObject(
  ctx: Pick<Ctx, 'db' | 'config' | 'now'>,
  { projectId, types }: LfsOwner,
  object: { oid: string; size: number; file: string },
): Promise<void> {
  return whileArriving(ctx.db, object.oid, async () => {
    await moveIntoStore(ctx.config, object.file, object.oid)
    tx(ctx.db, () => {
      const row = store.insert(ctx.db, object.oid, object.size, ctx.now)
      for (const type of types) store.link(ctx.db, { projectId, type }, row.id, ctx.now)
    })
  })
}

/**
 * Stores a file that comes from an archive or another host: checks its digest, then moves it into the store. `types` are
 * the repositories that refer to it (LfsOwner). Throws LfsMismatch and leaves the file if its content has another
 * digest.
 */
export async function adoptObject(
  ctx: Pick<Ctx, 'db' | 'config' | 'now'>,
  projectId: number,
  oid: string,
  file: string,
  types: readonly number[] = [0],
): Promise<void> {
  if (!isOid(oid)) throw new LfsMismatch('The name of a large file is not a digest.')
  const size = await checkedSize(file, oid)
  await storeLfsObject(ctx, { projectId, types }, { oid, size, file })
}

/** Adds a reference from a repository of a project to a stored object. Returns false if the object is not stored. */
export function addLink(ctx: Pick<Ctx, 'db' | 'now'>, projectId: number, oid: string, type: number): boolean {
  const row = store.byOid(ctx.db, oid)
  if (!row) return false
  store.link(ctx.db, { projectId, type }, row.id, ctx.now)
  return true
}

/** Copies the references of one project's code repository to that of another, in batches. */
export async function copyLinks(
  ctx: Pick<Ctx, 'db' | 'now'>,
  fromProjectId: number,
  toProjectId: number,
): Promise<void> {
  for (let after = 0; ;) {
    const rows = store.referencesAfter(ctx.db, fromProjectId, after, BATCH)
    tx(ctx.db, () => {
      for (const { lfs_object_id } of rows)
        store.link(ctx.db, { projectId: toProjectId, type: 0 }, lfs_object_id, ctx.now)
    })
    if (rows.length < BATCH) return
    after = rows.at(-1)!.id
    await setImmediate()
  }
}

/** Deletes objects without references, a day after they were stored. */
export async function removeUnreferred(ctx: Ctx): Promise<void> {
  for (;;) {
    const rows = store.unreferred(ctx.db, addDays(ctx.now, -1), BATCH)
    for (const row of rows) await removeObject(ctx, row)
    if (rows.length < BATCH) return
  }
}

async function removeObject(ctx: Ctx, { id, oid }: store.LfsObjectRow): Promise<void> {
  await removalsOf(ctx.config).pass(() => {
    // Check and deletion are synchronous, so an upload of the same content cannot happen between them.
    if (isArriving(ctx.db, oid)) return Promise.resolve()
    if (store.removeUnreferred(ctx.db, id)) rmSync(lfsFile(ctx.config, oid), { force: true })
    return Promise.resolve()
  })
}

/** The name of a folder: two digits of the digest. */
const PAIR = /^[0-9a-f]{2}$/

/** Deletes files without a row, which a crash may leave. It reads one folder at a time, to limit the memory. */
export async function removeOrphans(ctx: Ctx): Promise<void> {
  const root = dataPaths(ctx.config.dataDir).lfs
  const before = addDays(ctx.now, -1)
  for (const first of await digestFolders(root)) {
    for (const second of await digestFolders(join(root, first))) {
      const folder = join(root, first, second)
      const names = await namesWrittenBefore(folder, before)
      const oidOf = (name: string) => first + second + name
      const existing = store.existingOids(ctx.db, names.map(oidOf))
      for (const name of names)
        if (!existing.has(oidOf(name))) await removeFile(ctx, join(folder, name), oidOf(name))
      await removeIfEmpty(folder)
    }
    await removeIfEmpty(join(root, first))
  }
}

async function digestFolders(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(() => [])).filter((name) => PAIR.test(name))
}

async function removeFile(ctx: Ctx, file: string, oid: string): Promise<void> {
  await removalsOf(ctx.config).pass(() => {
    // The object may have been uploaded since the first check.
    if (!isArriving(ctx.db, oid) && !store.existingOids(ctx.db, [oid]).has(oid)) rmSync(file, { force: true })
    return Promise.resolve()
  })
}
