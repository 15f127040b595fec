import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { cancelProjectImport } from '../imports/runs.ts'
import { projectById } from '../../projects/index.ts'
import { settingsOf } from '../../settings/index.ts'
import { cancelRun } from '../../../jobs/runs.ts'
import { mayCreateAt } from './steps.ts'
import type { EntityView } from './entity.ts'
import { baseUrl, checkEntity, type EntityInput, checkSource } from './validation.ts'
import { publishChange, startNext } from './jobs.ts'
import { SECRET_PURPOSE } from './source.ts'
import { CANCELED, isActive, type BulkImportRow, type EntityRow } from './state.ts'
import * as store from './store.ts'

/** The parameters of a migration. */
export interface ImportInput {
  readonly configuration: { readonly url: string; readonly access_token: string }
  readonly entities: readonly EntityInput[]
}

/** Throws 404 if the settings disable migration (spec administration 6.7). */
export function checkEnabled(ctx: Ctx): void {
  if (!settingsOf(ctx).bulk_import_enabled) throw notFound()
}

/**
 * Begins the migration of groups and projects. Throws 400 for invalid parameters, and 422 if the other instance or the
 * destination does not allow the migration.
 */
export async function createImport(ctx: Ctx, input: ImportInput): Promise<BulkImportRow> {
  const url = baseUrl(input.configuration.url)
  const token = input.configuration.access_token
  if (input.entities.length === 0) throw fail('parameter', 'entities is empty')
  input.entities.forEach(checkEntity)
  for (const entity of input.entities) {
    if (!mayCreateAt(ctx, entity))
      throw fail(
        'unprocessable',
        `Import failed. Destination '${entity.destination_namespace}' is invalid, or you don't have permission.`,
      )
  }
  const { version, ids } = await checkSource(ctx, { url, token }, input.entities)
  return tx(ctx.db, () => {
    const access_token = ctx.secrets.seal(token, SECRET_PURPOSE)
    const row = { user_id: ctx.actor.id!, source_url: url, access_token, source_version: version }
    const run = store.insert(ctx.db, row, ctx.now)
    input.entities.forEach((entity, index) =>
      store.insertEntity(ctx.db, rowOf(run.id, entity, ids[index] ?? null), ctx.now),
    )
    startNext(ctx, run.id)
    return run
  })
}

function rowOf(importId: number, entity: EntityInput, sourceId: number | null): store.NewEntity {
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

/** A run of the actor. Throws 404 if there is none with this ID. */
export function ownImport(ctx: Ctx, id: number): BulkImportRow {
  const row = store.byId(ctx.db, id)
  if (row?.user_id !== ctx.actor.id) throw notFound()
  return row
}

/** An entity of a run of the actor. Throws 404 if there is none with this ID. */
export function ownEntity(ctx: Ctx, importId: number, entityId: number): EntityRow {
  const { id } = ownImport(ctx, importId)
  const row = store.entityById(ctx.db, entityId)
  if (row?.bulk_import_id !== id) throw notFound()
  return row
}

/** Entities with their first failures. */
export function viewsOf(ctx: Ctx, rows: readonly EntityRow[]): EntityView[] {
  const failures = store.failuresOf(
    ctx.db,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => ({ row, failures: failures.get(row.id) ?? [] }))
}

/**
 * Cancels a run. Finished entities stay, running ones are canceled, and waiting ones do not start. A finished run does
 * not change. Throws 404, and 403 for runs of other users.
 */
export function cancelImport(ctx: Ctx, id: number): BulkImportRow {
  const row = store.byId(ctx.db, id)
  if (!row) throw notFound()
  if (row.user_id !== ctx.actor.id && !ctx.actor.is_admin) throw fail('forbidden')
  if (!isActive(row.status)) return row
  const active = store.activeEntities(ctx.db, id)
  const canceled = tx(ctx.db, () => {
    for (const entity of active) store.updateEntity(ctx.db, entity.id, { status: CANCELED }, ctx.now)
    const changed = store.update(ctx.db, id, { status: CANCELED, access_token: null }, ctx.now)
    publishChange(ctx, changed)
    return changed
  })
  for (const entity of active) {
    void cancelRun(ctx, `bulk:${entity.id}`)
    cancelProject(ctx, entity)
  }
  return canceled
}

/** Cancels the running import of the entity's project. */
function cancelProject(ctx: Ctx, { project_id }: EntityRow): void {
  const project = project_id === null ? undefined : projectById(ctx.db, project_id)
  if (project && ['scheduled', 'started'].includes(project.import_status)) cancelProjectImport(ctx, project)
}
