import { rmSync } from 'node:fs'

import type { Ctx } from '../../../../../ctx.ts'
import { tx } from '../../../../../db/database.ts'
import { enqueue } from '../../../../../jobs/job.ts'
import { renameDurably, syncFile } from '../../../../../lib/files/durable-file.ts'
import { fail, notFound } from '../../../../../lib/fail.ts'
import { canRead, isAble } from '../../../../../policy/ability.ts'
import { archivePath } from '../../../runs/files.ts'
import { abilities as importAbilities } from '../../../imports/policy.ts'
import { project, type Project } from '../../../../projects/index.ts'
import { checkSource, insistOnGzip, type Uploaded } from '../begin.ts'
import { takeOptions } from '../jobs.ts'
import { takeRelation } from './job.ts'
import * as store from './store.ts'

const BUSY = 'A relation import is already in progress for this project'

/**
 * Has one relation of an archive taken into a project that is there. Throws 404 for a project that is not seen, 403 for who does not
 * maintain it, 409 while one is under way, 400 for no archive.
 */
export async function importRelation(
  ctx: Ctx,
  { path, relation }: { readonly path: string; readonly relation: string },
  file: Uploaded,
): Promise<{ project: Project; row: store.RelationImport }> {
  checkSource(ctx)
  const found = path.includes('/') ? project.load(ctx, path) : undefined
  if (!found || !canRead(ctx, project, found)) throw notFound('Project')
  if (!isAble(ctx, project, importAbilities.manage_import, found)) throw fail('forbidden')
  await insistOnGzip(file.path)
  await syncFile(file.path)
  let stored: string | undefined
  try {
    return tx(ctx.db, () => {
      if (store.isBusy(ctx.db, found.id) || ['scheduled', 'started'].includes(found.import_status))
        throw fail('conflict', BUSY)
      const made = store.insert(ctx.db, {
        project_id: found.id,
        user_id: ctx.actor.id,
        relation,
        now: ctx.now,
      })
      const name = `relation-${made.id}.tar.gz`
      const row = store.update(ctx.db, made.id, { file: name }, ctx.now)!
      enqueue(ctx, takeRelation, { relation_import_id: row.id }, takeOptions(found.id))
      stored = archivePath(ctx.config, name)
      renameDurably(file.path, stored)
      return { project: found, row }
    })
  } catch (error) {
    if (stored) rmSync(stored, { force: true })
    throw error
  }
}
