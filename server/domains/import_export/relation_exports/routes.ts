import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { allOrNone, endpoint, type Endpoint } from '../../../http/endpoint.ts'
import { entity, time, row } from '../../../http/entity.ts'
import { bool, int, text } from '../../../http/params.ts'
import { accepted, page, raw } from '../../../http/returns.ts'
import type { Ability, Scope } from '../../../policy/ability.ts'
import { group } from '../../groups/index.ts'
import { project } from '../../projects/index.ts'
import type { Owner } from '../relations/relation.ts'
import { groupAbilities, projectAbilities } from '../policy.ts'
import { fileOf, checkEnabled, startExport, statusesOf } from './service.ts'
import type { RelationExport } from './store.ts'

/**
 * The status of the export of a relation (spec administration 6.7). The fields from `batched` on are from later
 * versions.
 */
const RelationExportStatus = entity(
  'RelationExportStatus',
  {
    relation: z.string(),
    status: z.int(),
    error: z.string().nullable(),
    updated_at: time(),
    batched: z.boolean(),
    batches_count: z.int(),
    total_objects_count: z.int(),
    batches: z.array(
      z.strictObject({
        status: z.int(),
        batch_number: z.int(),
        objects_count: z.int(),
        error: z.string().nullable(),
        updated_at: time(),
      }),
    ),
  },
  row<RelationExport & { readonly batch_size: number }>(),
  (row) => ({
    batches: Array.from({ length: row.batched ? row.batches_count : 0 }, (_, index) => ({
      status: row.status,
      batch_number: index + 1,
      objects_count: Math.min(row.batch_size, row.total_objects_count - index * row.batch_size),
      error: row.error,
      updated_at: row.updated_at,
    })),
  }),
)

interface OwnerKind {
  readonly kind: Owner['kind']
  readonly scope: Scope
  readonly can: Ability
}

const DISABLED = 'Migration by direct transfer is disabled in the settings'

function relationEndpoints({ kind, scope, can }: OwnerKind): Endpoint[] {
  const path = `/${kind}s/:id/export_relations` as const
  const common = { scope, can }
  const ownerOf = (ctx: Ctx): Owner => {
    checkEnabled(ctx)
    return { kind, id: (ctx as Ctx & Readonly<Record<Owner['kind'], { id: number }>>)[kind].id }
  }
  return [
    endpoint(`POST ${path}`, {
      ...common,
      summary: `Export the relations of a ${kind} for another instance`,
      params: { batched: bool().optional().describe('Export in batches of 1000 records') },
      fails: { 404: DISABLED },
      returns: accepted,
      run: (ctx) => startExport(ctx, ownerOf(ctx), ctx.params.batched ?? false),
    }),
    endpoint(`GET ${path}/status`, {
      ...common,
      summary: `Get the status of the relation exports of a ${kind}`,
      params: {
        relation: text({ max: 255 }).optional().describe('The name of a relation. Default is all relations'),
      },
      fails: { 404: DISABLED },
      returns: page(RelationExportStatus, { paging: 'none' }),
      run: (ctx) => ({ rows: statusesOf(ctx, ownerOf(ctx), ctx.params.relation), total: undefined }),
    }),
    endpoint(`GET ${path}/download`, {
      ...common,
      summary: `Download a relation of a ${kind}`,
      params: {
        relation: text({ max: 255 }).describe('The name of the relation'),
        batched: bool().optional().describe('Download one batch'),
        batch_number: int({ min: 1 }).optional().describe('The number of the batch'),
      },
      parameterRules: [allOrNone('batched', 'batch_number')],
      fails: {
        400: 'The relation is exported in batches but no batch is requested, or the other way around',
        404: DISABLED,
      },
      returns: raw,
      run: (ctx) => fileOf(ctx, ownerOf(ctx), ctx.params),
    }),
  ]
}

export const ofProjects = relationEndpoints({
  kind: 'project',
  scope: project as Scope,
  can: projectAbilities.export_project_relations as Ability,
})

export const ofGroups = relationEndpoints({
  kind: 'group',
  scope: group as Scope,
  can: groupAbilities.export_group as Ability,
})
