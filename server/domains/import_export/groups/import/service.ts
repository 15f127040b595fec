import { mkdir, rm } from 'node:fs/promises'

import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import { enqueue } from '../../../../jobs/job.ts'
import { createGroup, deleteGroup, type Group } from '../../../groups/index.ts'
import { countFailures, failuresOf } from '../../imports/failures.ts'
import { keepFile } from '../../../../lib/files/durable-file.ts'
import { archiveFile, archiveFolder } from './files.ts'
import { importGroup } from './job.ts'
import { tell } from './notes.ts'
import * as store from './store.ts'

/** An archive that has arrived. */
interface Arrived {
  readonly path: string
}

/** What a group is made from. */
export interface GivenGroup {
  readonly name: string
  readonly path: string
  readonly parent_id?: number | undefined
  readonly file: Arrived
}

/** Failed records that the window shows. */
const SHOWN = 100

/**
 * Makes a group, private, that the archive will be taken over into in the background. Throws 400 for names and paths that cannot
 * stand or are taken, 404 for an unknown parent, 403 for who may not.
 */
export async function importFrom(ctx: Ctx, { file, ...given }: GivenGroup): Promise<Group> {
  const group = await createGroup(ctx, { ...given, columns: { visibility: 'private' } })
  const name = `${group.id}.tar.gz`
  try {
    await mkdir(archiveFolder(ctx.config), { recursive: true, mode: 0o700 })
    await keepFile(file.path, archiveFile(ctx.config, name))
    tx(ctx.db, () => {
      const row = store.insert(ctx.db, { group_id: group.id, user_id: ctx.actor.id, file: name }, ctx.now)
      enqueue(ctx, importGroup, { group_id: group.id }, { key: `group_import:${group.id}` })
      tell(ctx, row)
    })
    return group
  } catch (error) {
    await rm(archiveFile(ctx.config, name), { force: true })
    deleteGroup(ctx, group)
    throw error
  }
}

/** How the import of a group goes, as the window shows it. */
export function progressOf(ctx: Ctx, group: Group) {
  const row = store.ofGroup(ctx.db, group.id)
  const owner = { group_id: group.id }
  const { rows } = failuresOf(ctx.db, owner, { limit: SHOWN, offset: 0 })
  return { row, group, failures: rows, failuresCount: countFailures(ctx.db, owner) }
}
