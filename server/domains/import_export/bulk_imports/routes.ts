import { endpoint } from '../../../http/endpoint.ts'
import { bool, choice, hash, int, list as listOf, text } from '../../../http/params.ts'
import { created, ok, page } from '../../../http/returns.ts'
import { BulkImport, BulkImportEntity, BulkImportFailure, SourceGroups } from './entity.ts'
import { cancelImport, createImport, checkEnabled, ownEntity, ownImport, viewsOf } from './service.ts'
import { groupsAt } from './validation.ts'
import { STATUSES, statusOf, type Status } from './state.ts'
import * as store from './store.ts'

const MINUTE = 60
const LISTED = { order_by: ['created_at'] as const, sort: 'desc' as const }
const OFF = 'The settings disable migration from other instances'

const id = int({ min: 1 }).describe('ID of the migration')
const entityId = int({ min: 1 }).describe('ID of the entity')
const status = choice(...STATUSES)
  .optional()
  .describe('Status of the entries')
const at = (name: Status | undefined): number | undefined => (name === undefined ? undefined : statusOf(name))

const givenEntity = hash({
  source_type: choice('group_entity', 'project_entity').describe('Type of the source'),
  source_full_path: text({ max: 2000 }).describe('Full path at the other instance'),
  destination_namespace: text({ max: 2000 }).describe('Full path of the parent group; empty for the top'),
  destination_slug: text({ max: 255 }).optional().describe('The path in this instance'),
  destination_name: text({ max: 255 }).optional().describe('Older name of `destination_slug`'),
  migrate_projects: bool().optional().describe('Migrates the projects of a group (default true)'),
  migrate_memberships: bool().optional().describe('Migrates members (default true)'),
})

export const start = endpoint('POST /bulk_imports', {
  summary: 'Start a migration by direct transfer',
  can: 'signed_in',
  params: {
    configuration: hash({
      url: text({ max: 2000, notEmpty: true }).describe('Address of the other instance'),
      access_token: text({ max: 1000, notEmpty: true }).describe('A token for its API'),
    }).describe('The other instance'),
    entities: listOf(givenEntity, { max: 100 }).describe('The groups and projects to migrate'),
  },
  limit: { max: 6, per: MINUTE },
  fails: { 404: OFF, 422: 'The other instance, or the destination, does not allow it' },
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
  fails: { 404: OFF },
  returns: page(BulkImport, LISTED),
  run: (ctx) => {
    checkEnabled(ctx)
    return store.list(ctx.db, ctx.actor.id!, at(ctx.params.status), ctx.paging)
  },
})

export const listAllEntities = endpoint('GET /bulk_imports/entities', {
  summary: 'List the entities of all migrations of the current user',
  can: 'signed_in',
  params: { status },
  fails: { 404: OFF },
  returns: page(BulkImportEntity, LISTED),
  run: (ctx) => {
    checkEnabled(ctx)
    const { rows, total } = store.entitiesOfUser(ctx.db, ctx.actor.id!, at(ctx.params.status), ctx.paging)
    return { rows: viewsOf(ctx, rows), total }
  },
})

export const read = endpoint('GET /bulk_imports/:import_id', {
  summary: 'Get a migration',
  can: 'signed_in',
  params: { import_id: id },
  fails: { 404: OFF },
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
  fails: { 404: OFF },
  returns: page(BulkImportEntity, LISTED),
  run: (ctx) => {
    checkEnabled(ctx)
    const { id: importId } = ownImport(ctx, ctx.params.import_id)
    const { rows, total } = store.entitiesOf(ctx.db, importId, at(ctx.params.status), ctx.paging)
    return { rows: viewsOf(ctx, rows), total }
  },
})

export const readEntity = endpoint('GET /bulk_imports/:import_id/entities/:entity_id', {
  summary: 'Get an entity of a migration',
  can: 'signed_in',
  params: { import_id: id, entity_id: entityId },
  fails: { 404: OFF },
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
  fails: { 404: OFF },
  returns: page(BulkImportFailure),
  run: (ctx) => {
    checkEnabled(ctx)
    const { id: owner } = ownEntity(ctx, ctx.params.import_id, ctx.params.entity_id)
    return store.failures(ctx.db, owner, ctx.paging)
  },
})

export const cancel = endpoint('POST /bulk_imports/:import_id/cancel', {
  summary: 'Cancel a migration; finished entities stay',
  can: 'signed_in',
  params: { import_id: id },
  fails: { 404: OFF },
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
    url: text({ max: 2000, notEmpty: true }).describe('Address of the other instance'),
    // Not `access_token`, because that parameter authenticates the caller.
    source_token: text({ max: 1000, notEmpty: true }).describe('A token for its API'),
    search: text({ max: 255 }).optional().describe('Part of the name'),
  },
  limit: { max: 30, per: MINUTE },
  fails: { 404: OFF, 422: 'The other instance does not answer, or refuses the token' },
  returns: created(SourceGroups),
  run: (ctx) => {
    checkEnabled(ctx)
    return groupsAt(ctx, ctx.params)
  },
})
