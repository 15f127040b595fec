import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { rmSync } from 'node:fs'

import { dataPaths } from '../../../../config.ts'
import type { Ctx } from '../../../../ctx.ts'
import { job, enqueue } from '../../../../jobs/job.ts'
import { isStopping } from '../../../../jobs/runs.ts'
import { removalsOf } from '../../../../lib/gate.ts'
import { archivePath } from '../../imports/files.ts'
import { cancelableImport } from '../../imports/running.ts'
import { reasonOf } from '../../imports/status.ts'
import { importTree } from './engine/import-tree.ts'
import { unpack } from './engine/steps/files.ts'
import * as store from './store.ts'
import { tx } from '../../../../db/database.ts'
import { renameDurably, syncFile } from '../../../../lib/files/durable-file.ts'
import { fail, notFound } from '../../../../lib/fail.ts'
import { canRead, hasAbility } from '../../../../policy/ability.ts'
import { projectAbilities } from '../../policy.ts'
import { project, type Project } from '../../../projects/index.ts'
import { checkSource, checkGzip, type UploadedFile } from './begin.ts'
import { importOptions } from './jobs.ts'

const BUSY = 'A relation import is already in progress for this project'

/**
 * Stores the import of one relation into an existing project, with its job. Throws 404 for a project that the actor
 * cannot see, 403 if they do not maintain it, 409 while another import is running, and 400 for a file that is not an
 * archive.
 */
export async function importRelation(
  ctx: Ctx,
  { path, relation }: { readonly path: string; readonly relation: string },
  file: UploadedFile,
): Promise<{ project: Project; row: store.RelationImport }> {
  checkSource(ctx)
  const match = path.includes('/') ? project.load(ctx, path) : undefined
  if (!match || !canRead(ctx, project, match)) throw notFound('Project')
  if (!hasAbility(ctx, project, projectAbilities.manage_import, match)) throw fail('forbidden')
  await checkGzip(file.path)
  await syncFile(file.path)
  let storedPath: string | undefined
  try {
    return tx(ctx.db, () => {
      if (
        store.isImportingRelation(ctx.db, match.id) ||
        ['scheduled', 'started'].includes(match.import_status)
      )
        throw fail('conflict', BUSY)
      const created = store.insertRelationImport(ctx.db, {
        project_id: match.id,
        user_id: ctx.actor.id,
        relation,
        now: ctx.now,
      })
      const name = `relation-${created.id}.tar.gz`
      const row = store.updateRelationImport(ctx.db, created.id, { file: name }, ctx.now)!
      enqueue(ctx, importRelationJob, { relation_import_id: row.id }, importOptions(match.id))
      storedPath = archivePath(ctx.config, name)
      renameDurably(file.path, storedPath)
      return { project: match, row }
    })
  } catch (error) {
    if (storedPath) rmSync(storedPath, { force: true })
    throw error
  }
}

/** Maximum number of retries. Only a stop of the instance causes one: an error ends the import with a message. */
const MAX_RETRIES = 10

/** Imports one relation of an archive into its project. Existing records stay unchanged, so it may be repeated. */
export const importRelationJob = job(
  'transfer.import_relation',
  { args: { relation_import_id: z.number() }, retries: MAX_RETRIES },
  (ctx, { relation_import_id }) => runImport(ctx, relation_import_id),
)

async function runImport(ctx: Ctx, id: number): Promise<void> {
  const row = store.updateRelationImport(ctx.db, id, { status: 'started' }, ctx.now)
  if (!row?.file) return
  await cancelableImport(ctx, row.project_id, (signal) => importArchive(ctx, row, signal))
}

async function importArchive(ctx: Ctx, row: store.RelationImport, signal: AbortSignal): Promise<void> {
  const folder = join(dataPaths(ctx.config.dataDir).tmp, `relation-${row.id}`)
  try {
    await rm(folder, { recursive: true, force: true })
    await unpack({ ctx, folder, signal, run: row, report: () => undefined })
    await importTree(ctx, {
      owner: { kind: 'project', id: row.project_id },
      folder: join(folder, 'tree', 'project'),
      importer: row.user_id ?? 0,
      relations: [row.relation],
      skipExisting: true,
      signal,
    })
    await recordEnd(ctx, row, null)
  } catch (error) {
    if (isStopping(signal)) throw error
    ctx.log.warn({ err: error, project_id: row.project_id }, 'a relation could not be imported')
    await recordEnd(ctx, row, reasonOf(error))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function recordEnd(ctx: Ctx, row: store.RelationImport, error: string | null): Promise<void> {
  store.updateRelationImport(
    ctx.db,
    row.id,
    { status: error === null ? 'finished' : 'failed', error, file: null },
    ctx.now,
  )
  const { file } = row
  if (file !== null)
    await removalsOf(ctx.config).pass(() => rm(archivePath(ctx.config, file), { force: true }))
}
