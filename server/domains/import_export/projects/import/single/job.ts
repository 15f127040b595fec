import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import { z } from 'zod'

import { dataPaths } from '../../../../../config.ts'
import type { Ctx } from '../../../../../ctx.ts'
import { job } from '../../../../../jobs/job.ts'
import { removalsOf } from '../../../../../lib/gate.ts'
import { archivePath } from '../../../runs/files.ts'
import { ImportInterrupted } from '../../../runs/running.ts'
import { reasonOf } from '../../../imports/reasons.ts'
import { signalOf } from '../../../runs/service.ts'
import { importTree } from '../engine/import-tree.ts'
import { unpack } from '../engine/steps/unpack.ts'
import * as store from './store.ts'

/** What goes wrong ends it with a sentence; only a stop of the instance brings the job back. */
const STOPS = 10

/** Takes one relation of an archive into its project. What is there already stays as it is, so it may be repeated. */
export const takeRelation = job(
  'transfer.import_relation',
  { args: { relation_import_id: z.number() }, retries: STOPS },
  (ctx, { relation_import_id }) => take(ctx, relation_import_id),
)

async function take(ctx: Ctx, id: number): Promise<void> {
  const row = store.update(ctx.db, id, { status: 'started' }, ctx.now)
  if (!row?.file) return
  const folder = join(dataPaths(ctx.config.dataDir).tmp, `relation-${id}`)
  const signal = signalOf(ctx, row.project_id)
  try {
    await rm(folder, { recursive: true, force: true })
    await unpack({ ctx, folder, signal, run: row, tell: () => undefined })
    await importTree(ctx, {
      owner: { kind: 'project', id: row.project_id },
      folder: join(folder, 'tree', 'project'),
      importer: row.user_id ?? 0,
      relations: [row.relation],
      skipExisting: true,
      signal,
    })
    await end(ctx, row, null)
  } catch (error) {
    const why: unknown = signal.aborted ? signal.reason : error
    if (why instanceof ImportInterrupted && why.reason === 'stopping') throw why
    ctx.log.warn({ err: error, project_id: row.project_id }, 'a relation could not be imported')
    await end(ctx, row, reasonOf(error))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function end(ctx: Ctx, row: store.RelationImport, error: string | null): Promise<void> {
  store.update(ctx.db, row.id, { status: error === null ? 'finished' : 'failed', error, file: null }, ctx.now)
  const { file } = row
  if (file !== null)
    await removalsOf(ctx.config).pass(() => rm(archivePath(ctx.config, file), { force: true }))
}
