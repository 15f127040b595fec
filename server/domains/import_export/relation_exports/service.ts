import { join } from 'node:path'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { enqueue } from '../../../jobs/job.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { settingsOf } from '../../settings/index.ts'
import type { Owner } from '../relations/relation.ts'
import { fileAnswer, keptFile, removeFiles } from '../exports/files.ts'
import { exportRelations } from './write.ts'
import { BATCH_SIZE, fileNameOf, relationsOf } from './relations.ts'
import * as store from './store.ts'

/** Throws 404 if the settings disable migration between instances (spec administration 6.7). */
export function checkEnabled(ctx: Ctx): void {
  if (!settingsOf(ctx).bulk_import_enabled) throw notFound()
}

/** Starts the export of all relations of a project or group and deletes earlier files. */
export async function startExport(ctx: Ctx, owner: Owner, batched: boolean): Promise<void> {
  const former = tx(ctx.db, () => {
    const terms = { userId: ctx.actor.id, batched, now: ctx.now }
    const files = relationsOf(owner.kind).map((name) => store.begin(ctx.db, owner, name, terms))
    const key = `relation_export:${owner.kind}:${owner.id}`
    enqueue(ctx, exportRelations, { kind: owner.kind, id: owner.id }, { key, once: key })
    return files.filter((file) => file !== null)
  })
  await removeFiles(ctx.config, 'relations', former)
}

/** The status of each relation. */
export function statusesOf(ctx: Ctx, owner: Owner, relation: string | undefined) {
  return store.ofOwner(ctx.db, owner, relation).map((row) => ({ ...row, batch_size: BATCH_SIZE }))
}

/** A download. */
export interface Wanted {
  readonly relation: string
  readonly batched?: boolean | undefined
  readonly batch_number?: number | undefined
}

/**
 * Returns a relation or one batch of it as an answer. Throws 404 if it is not exported yet, and 400 if only the other form
 * (batched or not) exists.
 */
export function fileOf(ctx: Ctx, owner: Owner, { relation, batched, batch_number }: Wanted) {
  const row = store.find(ctx.db, owner, relation)
  if (row?.file == null || row.status !== store.FINISHED) throw fail('not_found', '404 Not found')
  if (batched && !row.batched) throw fail('bad_request', 'Export is not batched')
  if (!batched && row.batched) throw fail('bad_request', 'Export is batched')
  if (batched && (batch_number ?? 0) > row.batches_count) throw fail('not_found', 'Batch not found')
  const name = fileNameOf(owner.kind, relation)
  const path = join(keptFile(ctx.config, 'relations', row.file), batched ? `${batch_number}-${name}` : name)
  return fileAnswer(path, name, '404 Not found')
}
