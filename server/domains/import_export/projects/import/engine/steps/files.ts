import { existsSync } from 'node:fs'
import { opendir, readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'

import { tx } from '../../../../../../db/database.ts'
import { Failure } from '../../../../../../lib/fail.ts'
import { isOid } from '../../../../../../lib/lfs.ts'
import { adoptUpload } from '../../../../../markdown/index.ts'
import { adoptObject, NotTheObject } from '../../../../../storage/index.ts'
import { updateProjectRow } from '../../../../../projects/index.ts'
import { cleanFileName, replaceAvatar } from '../../../../../storage/index.ts'
import { leaveOut, type Filling } from './filling.ts'
import { typesOfLargeFiles } from './large-file-types.ts'

/** Takes the project's picture over; one that is none is left out. */
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

/** Takes over what is attached to texts, under the secrets that the texts name. */
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
      filling.tell('uploads', ++done)
    }
  }
}

/** Takes large files of git over; one whose content is not what its name says is left out. */
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
    filling.tell('lfs_objects', ++done)
  }
}
