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
import { namesWrittenBefore, removeIfEmpty } from '../../../lib/files/owner-folders.ts'

/** A file that differs from the announced digest or size. */
export class NotTheObject extends Error {}

/** Path of the LFS object with a digest, whether it exists or not. */
export function lfsFile(config: Pick<Config, 'dataDir'>, oid: string): string {
  return join(dataPaths(config.dataDir).lfs, ...objectParts(oid))
}

/** True for an LFS object that exists with its size. */
export async function isStored(config: Pick<Config, 'dataDir'>, { oid, size }: Pointer): Promise<boolean> {
  const stats = await stat(lfsFile(config, oid)).catch(() => undefined)
  return stats?.isFile() === true && stats.size === size
}

/**
 * Writes a stream to a file and compares digest and size with the announced ones. Throws NotTheObject for a difference, at
 * the first surplus byte, and then leaves no file.
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
      if (length > size) return done(new NotTheObject('The file is larger than announced.'))
      digest.update(chunk)
      done(null, chunk)
    },
  })
  try {
    await pipeline(
      [stream, meter, createWriteStream(file, { flags: 'wx', mode: 0o600 })],
      signal ? { signal } : {},
    )
    if (length !== size) throw new NotTheObject('The file is smaller than announced.')
    if (digest.digest('hex') !== oid)
      throw new NotTheObject('The SHA-256 of the file differs from the announced one.')
  } catch (error) {
    await rm(file, { force: true })
    throw error
  }
}

/** Size of a file with the digest `oid`. Throws NotTheObject for other content. */
async function checkedSize(file: string, oid: string): Promise<number> {
  const digest = createHash('sha256')
  let size = 0
  for await (const chunk of createReadStream(file)) {
    size += (chunk as Buffer).length
    digest.update(chunk as Buffer)
  }
  if (digest.digest('hex') !== oid)
    throw new NotTheObject('The content of a large file does not match its name.')
  return size
}

/** Moves a checked file to the path of its digest. When this returns it is on the disk. */
function keep(config: Pick<Config, 'dataDir'>, file: string, oid: string): Promise<void> {
  return moveDurably(file, lfsFile(config, oid))
}

const BATCH = 200

/** Digests of files that are being moved into the store: they have no row yet, and must not be removed. */
const arrivingIn = (db: Database) => db.instance('lfs.arriving', () => new Map<string, number>())

/** Whether a file with a digest is being moved into the store. */
export function isArriving(db: Database, oid: string): boolean {
  return arrivingIn(db).has(oid)
}

async function whileArriving<T>(db: Database, oid: string, work: () => Promise<T>): Promise<T> {
  const counts = arrivingIn(db)
  counts.set(oid, (counts.get(oid) ?? 0) + 1)
  try {
    return await work()
  } finally {
    const remaining = counts.get(oid)! - 1
    if (remaining === 0) counts.delete(oid)
    else counts.set(oid, remaining)
  }
}

/** The owner of an object: a project and one of its repositories. */
export interface LfsOwner {
  readonly projectId: number
  readonly types: readonly number[]
}

/** Stores a checked temporary file, and a reference from its owner. */
export function storeLfsObject(
  ctx: Pick<Ctx, 'db' | 'config' | 'now'>,
  { projectId, types }: LfsOwner,
  object: { oid: string; size: number; file: string },
): Promise<void> {
  return whileArriving(ctx.db, object.oid, async () => {
    await keep(ctx.config, object.file, object.oid)
    tx(ctx.db, () => {
      const row = store.insert(ctx.db, object.oid, object.size, ctx.now)
      for (const type of types) store.link(ctx.db, { projectId, type }, row.id, ctx.now)
    })
  })
}

/**
 * Stores a file of an archive or another host: checks its digest, then moves it into the store. `types` are the repositories
 * that refer to it: 0 the code, 1 the wiki, 2 designs. Throws NotTheObject for a
 * different content; the file then stays where it is.
 */
export async function adoptObject(
  ctx: Pick<Ctx, 'db' | 'config' | 'now'>,
  projectId: number,
  oid: string,
  file: string,
  types: readonly number[] = [0],
): Promise<void> {
  if (!isOid(oid)) throw new NotTheObject('The name of a large file is not a digest.')
  const size = await checkedSize(file, oid)
  await storeLfsObject(ctx, { projectId, types }, { oid, size, file })
}

/** Adds a reference from a repository of a project to a stored object. False without the object. */
export function addLink(ctx: Pick<Ctx, 'db' | 'now'>, projectId: number, oid: string, type: number): boolean {
  const row = store.byOid(ctx.db, oid)
  if (!row) return false
  store.link(ctx.db, { projectId, type }, row.id, ctx.now)
  return true
}

/** Copies the references of one project's code to the code of another, in batches. */
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
    for (const row of rows) await removeOne(ctx, row)
    if (rows.length < BATCH) return
  }
}

async function removeOne(ctx: Ctx, { id, oid }: store.LfsObjectRow): Promise<void> {
  await removalsOf(ctx.config).pass(() => {
    // Checked and deleted at once: an upload of the same content comes either before, and keeps it, or afterwards.
    if (isArriving(ctx.db, oid)) return Promise.resolve()
    if (store.removeUnreferred(ctx.db, id)) rmSync(lfsFile(ctx.config, oid), { force: true })
    return Promise.resolve()
  })
}

const PAIR = /^[0-9a-f]{2}$/

/** Deletes files without a row that a crash left; one folder at a time, to limit the memory. */
export async function removeOrphans(ctx: Ctx): Promise<void> {
  const root = dataPaths(ctx.config.dataDir).lfs
  const before = addDays(ctx.now, -1)
  for (const first of await pairsIn(root)) {
    for (const second of await pairsIn(join(root, first))) {
      const folder = join(root, first, second)
      const names = await namesWrittenBefore(folder, before)
      const existing = store.existingOids(
        ctx.db,
        names.map((name) => first + second + name),
      )
      for (const name of names)
        if (!existing.has(first + second + name)) await removeFile(ctx, folder, name, first + second + name)
      await removeIfEmpty(folder)
    }
    await removeIfEmpty(join(root, first))
  }
}

async function pairsIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(() => [])).filter((name) => PAIR.test(name))
}

async function removeFile(ctx: Ctx, folder: string, name: string, oid: string): Promise<void> {
  await removalsOf(ctx.config).pass(() => {
    // It may have been uploaded again since.
    if (!isArriving(ctx.db, oid) && !store.existingOids(ctx.db, [oid]).has(oid))
      rmSync(join(folder, name), { force: true })
    return Promise.resolve()
  })
}
