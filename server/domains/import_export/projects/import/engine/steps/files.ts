import { existsSync, createReadStream } from 'node:fs'
import { opendir, readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'

import { tx } from '../../../../../../db/database.ts'
import { Failure } from '../../../../../../lib/fail.ts'
import { isOid } from '../../../../../../lib/lfs.ts'
import { adoptUpload } from '../../../../../markdown/index.ts'
import { adoptObject, NotTheObject, cleanFileName, replaceAvatar } from '../../../../../storage/index.ts'
import { updateProjectRow } from '../../../../../projects/index.ts'
import { leaveOut, type Filling } from './filling.ts'

/** An LFS object in `lfs-objects.json`. */
const ENTRY = /"([0-9a-f]{64})"\s*:\s*\[([\d,\s]{0,64})\]/g
/** Characters of a piece that are kept for the next one: an entry may be cut in two. */
const LONGEST_ENTRY = 256
const CODE = '0'

/**
 * The repositories that refer to each LFS object (spec administration 6.2): 0 the code, 1 the wiki, 2 designs. Objects of the
 * code alone are left out. Reads piece by piece: the file cannot be trusted, and may be large.
 */
export async function typesOfLargeFiles(file: string): Promise<ReadonlyMap<string, readonly number[]>> {
  const found = new Map<string, readonly number[]>()
  if (!existsSync(file)) return found
  const shared = new Map<string, readonly number[]>()
  let rest = ''
  const pieces = createReadStream(file, {
    encoding: 'latin1',
    highWaterMark: 64 * 1024,
  }) as AsyncIterable<string>
  for await (const piece of pieces) {
    const text = rest + piece
    let end = 0
    for (const { 0: whole, 1: oid, 2: list, index } of text.matchAll(ENTRY)) {
      end = index + whole.length
      const types = typesIn(list!)
      if (types === CODE || types === '') continue
      if (!shared.has(types)) shared.set(types, types.split(',').map(Number))
      found.set(oid!, shared.get(types)!)
    }
    rest = text.slice(Math.max(end, text.length - LONGEST_ENTRY))
  }
  return found
}

function typesIn(list: string): string {
  return ['0', '1', '2'].filter((type) => list.split(',').some((one) => one.trim() === type)).join(',')
}

/** Imports the avatar of the project; a file that is no picture is left out. */
export async function takeAvatar(filling: Filling): Promise<void> {
  const { ctx, project, folder } = filling
  const [name] = await readdir(join(folder, 'avatar')).catch(() => [])
  if (name === undefined) return
  const path = join(folder, 'avatar', name)
  const found = await stat(path)
  if (!found.isFile()) return
  try {
    const file = { filename: name, type: 'application/octet-stream', path, size: found.size, sha256: '' }
    await replaceAvatar(ctx, 'project', project.id, file, (avatar) =>
      tx(ctx.db, () => updateProjectRow(ctx.db, project.id, { avatar })),
    )
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    leaveOut(filling, 'avatar', 'The avatar is not a picture of a known format, or too big.')
  }
}

/** Imports uploads, under the secrets that texts name. */
export async function takeUploads(filling: Filling): Promise<void> {
  const { ctx, project, folder, importer, signal } = filling
  const top = join(folder, 'uploads')
  if (!existsSync(top)) return
  let done = 0
  for await (const entry of await opendir(top)) {
    signal.throwIfAborted()
    if (!entry.isDirectory() || !/^[0-9a-f]{32}$/.test(entry.name)) continue
    for (const name of await readdir(join(top, entry.name))) {
      const path = join(top, entry.name, name)
      if (!(await stat(path)).isFile()) continue
      await adoptUpload(ctx, {
        project_id: project.id,
        secret: entry.name,
        file_name: cleanFileName(basename(name)),
        path,
        uploaded_by_id: importer,
      })
      filling.report('uploads', ++done)
    }
  }
}

/** Imports LFS objects. An object is skipped if its content does not match its id. */
export async function takeLargeFiles(filling: Filling): Promise<void> {
  const { ctx, project, folder, signal } = filling
  const top = join(folder, 'lfs-objects')
  if (!existsSync(top)) return
  const types = await typesOfLargeFiles(join(folder, 'lfs-objects.json'))
  let done = 0
  for await (const entry of await opendir(top)) {
    signal.throwIfAborted()
    if (!entry.isFile() || !isOid(entry.name)) continue
    try {
      await adoptObject(ctx, project.id, entry.name, join(top, entry.name), types.get(entry.name) ?? [0])
    } catch (error) {
      if (!(error instanceof NotTheObject)) throw error
      leaveOut(filling, 'lfs_objects', error.message)
    }
    filling.report('lfs_objects', ++done)
  }
}
