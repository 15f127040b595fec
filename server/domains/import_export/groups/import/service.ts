import { mkdir, rm } from 'node:fs/promises'

import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import { enqueue } from '../../../../jobs/job.ts'
import { createGroup, deleteGroup, type Group } from '../../../groups/index.ts'
import { countFailures, failuresOf } from '../../imports/store.ts'
import { keepFile } from '../../../../lib/files/durable-file.ts'
import { archiveFile, archiveFolder, importGroup, publishChange } from './run.ts'
import * as store from './store.ts'

/** A new group from an uploaded archive. */
export interface GivenGroup {
  readonly name: string
  readonly path: string
  readonly parent_id?: number | undefined
  readonly file: { readonly path: string }
}

/** Failed records that the window shows. */
const SHOWN = 100

/**
 * Creates a private group and stores the import of the archive into it, with its job. Throws 400 for names and paths that are
 * invalid or taken, 404 for an unknown parent, 403 where the actor may not create a group.
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
      publishChange(ctx, row)
    })
    return group
  } catch (error) {
    await rm(archiveFile(ctx.config, name), { force: true })
    deleteGroup(ctx, group)
    throw error
  }
}

/** The progress of the import of a group, for the window. */
export function progressOf(ctx: Ctx, group: Group) {
  const row = store.ofGroup(ctx.db, group.id)
  const owner = { group_id: group.id }
  const { rows } = failuresOf(ctx.db, owner, { limit: SHOWN, offset: 0 })
  return { row, group, failures: rows, failuresCount: countFailures(ctx.db, owner) }
}
