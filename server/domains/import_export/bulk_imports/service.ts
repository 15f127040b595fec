import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { cancelRun } from '../runs/service.ts'
import { projectById } from '../../projects/index.ts'
import { settingsOf } from '../../settings/index.ts'
import { takeBack } from '../groups/running.ts'
import { isFreeFor } from './destination.ts'
import type { EntityView } from './entity.ts'
import { baseUrl, checkEntity, type GivenEntity } from './rules.ts'
import { startNext, tell } from './scheduling.ts'
import { SEALED_FOR } from './source-of.ts'
import { checkSource } from './source-check.ts'
import { CANCELED, isUnderWay, type BulkImportRow, type EntityRow } from './state.ts'
import * as store from './store.ts'

/** What a run is asked for with. */
export interface GivenImport {
  readonly configuration: { readonly url: string; readonly access_token: string }
  readonly entities: readonly GivenEntity[]
}

/** Throws 404 where the settings do not allow it (spec administration 6.7). */
export function insistOnSetting(ctx: Ctx): void {
  if (!settingsOf(ctx).bulk_import_enabled) throw notFound()
}

/**
 * Begins to take groups and projects over. Throws 400 for what cannot be asked for, and 422 where the other instance or the
 * destination does not allow it.
 */
export async function createImport(ctx: Ctx, given: GivenImport): Promise<BulkImportRow> {
  const url = baseUrl(given.configuration.url)
  const token = given.configuration.access_token
  if (given.entities.length === 0) throw fail('parameter', 'entities is empty')
  given.entities.forEach(checkEntity)
  for (const entity of given.entities) {
    if (!isFreeFor(ctx, entity))
      throw fail(
        'unprocessable',
        `Import failed. Destination '${entity.destination_namespace}' is invalid, or you don't have permission.`,
      )
  }
  const { version, ids } = await checkSource(ctx, { url, token }, given.entities)
  return tx(ctx.db, () => {
    const access_token = ctx.secrets.seal(token, SEALED_FOR)
    const row = { user_id: ctx.actor.id!, source_url: url, access_token, source_version: version }
    const made = store.insert(ctx.db, row, ctx.now)
    given.entities.forEach((entity, index) =>
      store.insertEntity(ctx.db, rowOf(made.id, entity, ids[index] ?? null), ctx.now),
    )
    startNext(ctx, made.id)
    return made
  })
}

function rowOf(importId: number, entity: GivenEntity, sourceId: number | null): store.NewEntity {
  const slug = entity.destination_slug ?? entity.destination_name ?? ''
  return {
    bulk_import_id: importId,
    parent_id: null,
    source_type: entity.source_type,
    source_full_path: entity.source_full_path,
    source_xid: sourceId,
    destination_slug: slug,
    destination_name: slug,
    destination_namespace: entity.destination_namespace,
    migrate_projects: entity.migrate_projects ?? true,
    migrate_memberships: entity.migrate_memberships ?? true,
  }
}

/** A run of the actor. Throws 404. */
export function ownImport(ctx: Ctx, id: number): BulkImportRow {
  const row = store.byId(ctx.db, id)
  if (row?.user_id !== ctx.actor.id) throw notFound()
  return row
}

/** One group or project of a run of the actor. Throws 404. */
export function ownEntity(ctx: Ctx, importId: number, entityId: number): EntityRow {
  const { id } = ownImport(ctx, importId)
  const row = store.entityById(ctx.db, entityId)
  if (row?.bulk_import_id !== id) throw notFound()
  return row
}

/** Some entities with their first failures. */
export function viewsOf(ctx: Ctx, rows: readonly EntityRow[]): EntityView[] {
  const failures = store.failuresOf(
    ctx.db,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => ({ row, failures: failures.get(row.id) ?? [] }))
}

/**
 * Takes a run back: what is done stays, the rest is not begun. A run that is over stays as it is. Throws 404, and 403 for
 * those of others.
 */
export function cancelImport(ctx: Ctx, id: number): BulkImportRow {
  const row = store.byId(ctx.db, id)
  if (!row) throw notFound()
  if (row.user_id !== ctx.actor.id && !ctx.actor.is_admin) throw fail('forbidden')
  if (!isUnderWay(row.status)) return row
  const open = store.underWay(ctx.db, id)
  const canceled = tx(ctx.db, () => {
    for (const one of open) store.updateEntity(ctx.db, one.id, { status: CANCELED }, ctx.now)
    const changed = store.update(ctx.db, id, { status: CANCELED, access_token: null }, ctx.now)
    tell(ctx, changed)
    return changed
  })
  for (const one of open) {
    takeBack(ctx, `bulk:${one.id}`)
    cancelProject(ctx, one)
  }
  return canceled
}

/** A project that is being filled, or waits for it, stays as it would after its own cancelling. */
function cancelProject(ctx: Ctx, { project_id }: EntityRow): void {
  const project = project_id === null ? undefined : projectById(ctx.db, project_id)
  if (project && ['scheduled', 'started'].includes(project.import_status)) cancelRun(ctx, project)
}
