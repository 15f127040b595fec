import { join } from 'node:path'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { enqueue } from '../../../jobs/job.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { settingsOf } from '../../settings/index.ts'
import type { Owner } from '../relations/relation.ts'
import { fileAnswer, exportFile, removeFiles } from '../exports/files.ts'
import { exportRelations } from './write.ts'
import { BATCH_SIZE, fileNameOf, relationsOf } from './relations.ts'
import * as store from './store.ts'

/** Throws 404 if the settings disable migration between instances (spec administration 6.7). */
export function checkEnabled(ctx: Ctx): void {
  if (!settingsOf(ctx).bulk_import_enabled) throw notFound()
}

/** Starts the export of all relations of a project or group and deletes earlier files. */
export async function startExport(ctx: Ctx, owner: Owner, batched: boolean): Promise<void> {
  const oldFiles = tx(ctx.db, () => {
    const columns = { userId: ctx.actor.id, batched, now: ctx.now }
    const files = relationsOf(owner.kind).map((name) => store.begin(ctx.db, owner, name, columns))
    const key = `relation_export:${owner.kind}:${owner.id}`
    enqueue(ctx, exportRelations, { kind: owner.kind, id: owner.id }, { key, once: key })
    return files.filter((file) => file !== null)
  })
  await removeFiles(ctx.config, 'relations', oldFiles)
}

/** The statuses of all relations, or of one. */
export function statusesOf(ctx: Ctx, owner: Owner, relation: string | undefined) {
  return store.ofOwner(ctx.db, owner, relation).map((row) => ({ ...row, batch_size: BATCH_SIZE }))
}

/** The parameters of a download. */
export interface DownloadRequest {
  readonly relation: string
  readonly batched?: boolean | undefined
  readonly batch_number?: number | undefined
}

/**
 * Returns the answer with a relation or one of its batches. Throws 404 if it is not exported yet, and 400 if the
 * relation is batched but the request is not, or the other way around.
 */
export function fileOf(ctx: Ctx, owner: Owner, { relation, batched, batch_number }: DownloadRequest) {
  const row = store.find(ctx.db, owner, relation)
  if (row?.file == null || row.status !== store.FINISHED) throw fail('not_found', '404 Not found')
  if (batched && !row.batched) throw fail('bad_request', 'Export is not batched')
  if (!batched && row.batched) throw fail('bad_request', 'Export is batched')
  if (batched && (batch_number ?? 0) > row.batches_count) throw fail('not_found', 'Batch not found')
  const name = fileNameOf(owner.kind, relation)
  const path = join(exportFile(ctx.config, 'relations', row.file), batched ? `${batch_number}-${name}` : name)
  return fileAnswer(path, name, '404 Not found')
}
