import { endpoint } from '../../../http/endpoint.ts'
import { bool, choice, hash, int, list as listOf, text } from '../../../http/params.ts'
import { created, ok, page } from '../../../http/returns.ts'
import { BulkImport, BulkImportEntity, BulkImportFailure, SourceGroups } from './entity.ts'
import { cancelImport, createImport, checkEnabled, ownEntity, ownImport, viewsOf } from './service.ts'
import { listSourceGroups } from './validation.ts'
import { STATUSES, statusOf, type Status } from './state.ts'
import * as store from './store.ts'

const MINUTE = 60
const NEWEST_FIRST = { order_by: ['created_at'] as const, sort: 'desc' as const }
const DISABLED = 'Migration by direct transfer is disabled in the settings'

const id = int({ min: 1 }).describe('The ID of the migration')
const entityId = int({ min: 1 }).describe('The ID of the entity')
const status = choice(...STATUSES)
  .optional()
  .describe('Return only entries with this status')
const statusValue = (name: Status | undefined): number | undefined =>
  name === undefined ? undefined : statusOf(name)

const entityParams = hash({
  source_type: choice('group_entity', 'project_entity').describe('The type of the source'),
  source_full_path: text({ max: 2000 }).describe('The full path of the source on the other instance'),
  destination_namespace: text({ max: 2000 }).describe(
    'The full path of the parent group. Empty for a top-level group',
  ),
  destination_slug: text({ max: 255 })
    .optional()
    .describe('The path of the group or project on this instance'),
  destination_name: text({ max: 255 }).optional().describe('Deprecated: use `destination_slug` instead'),
  migrate_projects: bool().optional().describe('Migrate the projects of a group. Default is true'),
  migrate_memberships: bool().optional().describe('Migrate members. Default is true'),
})

export const start = endpoint('POST /bulk_imports', {
  summary: 'Start a migration by direct transfer',
  can: 'signed_in',
  params: {
    configuration: hash({
      url: text({ max: 2000, notEmpty: true }).describe('The URL of the other instance'),
      access_token: text({ max: 1000, notEmpty: true }).describe('An access token of the other instance'),
    }).describe('The other instance'),
    entities: listOf(entityParams, { max: 100 }).describe('The groups and projects to migrate'),
  },
  limit: { max: 6, per: MINUTE },
  fails: { 404: DISABLED, 422: 'The other instance or the destination does not allow the migration' },
  returns: created(BulkImport),
  run: (ctx) => {
    checkEnabled(ctx)
    return createImport(ctx, ctx.params)
  },
})

export const list = endpoint('GET /bulk_imports', {
  summary: 'List all migrations of the current user',
  can: 'signed_in',
  params: { status },
  fails: { 404: DISABLED },
  returns: page(BulkImport, NEWEST_FIRST),
  run: (ctx) => {
    checkEnabled(ctx)
    return store.list(ctx.db, ctx.actor.id!, statusValue(ctx.params.status), ctx.paging)
  },
})

export const listAllEntities = endpoint('GET /bulk_imports/entities', {
  summary: 'List the entities of all migrations of the current user',
  can: 'signed_in',
  params: { status },
  fails: { 404: DISABLED },
  returns: page(BulkImportEntity, NEWEST_FIRST),
  run: (ctx) => {
    checkEnabled(ctx)
    const { rows, total } = store.entitiesOfUser(
      ctx.db,
      ctx.actor.id!,
      statusValue(ctx.params.status),
      ctx.paging,
    )
    return { rows: viewsOf(ctx, rows), total }
  },
})

export const read = endpoint('GET /bulk_imports/:import_id', {
  summary: 'Get a migration',
  can: 'signed_in',
  params: { import_id: id },
  fails: { 404: DISABLED },
  returns: ok(BulkImport),
  run: (ctx) => {
    checkEnabled(ctx)
    return ownImport(ctx, ctx.params.import_id)
  },
})

export const listEntities = endpoint('GET /bulk_imports/:import_id/entities', {
  summary: 'List the entities of a migration',
  can: 'signed_in',
  params: { import_id: id, status },
  fails: { 404: DISABLED },
  returns: page(BulkImportEntity, NEWEST_FIRST),
  run: (ctx) => {
    checkEnabled(ctx)
    const { id: importId } = ownImport(ctx, ctx.params.import_id)
    const { rows, total } = store.entitiesOf(ctx.db, importId, statusValue(ctx.params.status), ctx.paging)
    return { rows: viewsOf(ctx, rows), total }
  },
})

export const readEntity = endpoint('GET /bulk_imports/:import_id/entities/:entity_id', {
  summary: 'Get an entity of a migration',
  can: 'signed_in',
  params: { import_id: id, entity_id: entityId },
  fails: { 404: DISABLED },
  returns: ok(BulkImportEntity),
  run: (ctx) => {
    checkEnabled(ctx)
    return viewsOf(ctx, [ownEntity(ctx, ctx.params.import_id, ctx.params.entity_id)])[0]!
  },
})

export const listFailures = endpoint('GET /bulk_imports/:import_id/entities/:entity_id/failures', {
  summary: 'List the failures of an entity',
  can: 'signed_in',
  params: { import_id: id, entity_id: entityId },
  fails: { 404: DISABLED },
  returns: page(BulkImportFailure),
  run: (ctx) => {
    checkEnabled(ctx)
    const { id: owner } = ownEntity(ctx, ctx.params.import_id, ctx.params.entity_id)
    return store.failures(ctx.db, owner, ctx.paging)
  },
})

export const cancel = endpoint('POST /bulk_imports/:import_id/cancel', {
  summary: 'Cancel a migration',
  can: 'signed_in',
  params: { import_id: id },
  fails: { 404: DISABLED },
  returns: ok(BulkImport),
  run: (ctx) => {
    checkEnabled(ctx)
    return cancelImport(ctx, ctx.params.import_id)
  },
})

export const sourceGroups = endpoint('POST /-/bulk_imports/source_groups', {
  summary: 'List the groups of another instance that can be migrated',
  can: 'signed_in',
  params: {
    url: text({ max: 2000, notEmpty: true }).describe('The URL of the other instance'),
    // Not `access_token`, because that parameter authenticates the caller.
    source_token: text({ max: 1000, notEmpty: true }).describe('An access token of the other instance'),
    search: text({ max: 255 }).optional().describe('Part of the name of the groups'),
  },
  limit: { max: 30, per: MINUTE },
  fails: { 404: DISABLED, 422: 'The other instance does not answer or refuses the token' },
  returns: created(SourceGroups),
  run: (ctx) => {
    checkEnabled(ctx)
    return listSourceGroups(ctx, ctx.params)
  },
})
