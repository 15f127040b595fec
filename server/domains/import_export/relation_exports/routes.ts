import type { Ctx } from '../../../ctx.ts'
import { allOrNone, endpoint, type Endpoint } from '../../../http/endpoint.ts'
import { bool, int, text } from '../../../http/params.ts'
import { accepted, page, raw } from '../../../http/returns.ts'
import type { Ability, Scope } from '../../../policy/ability.ts'
import { group } from '../../groups/index.ts'
import { project } from '../../projects/index.ts'
import type { Owner } from '../relations/relation.ts'
import { groupAbilities, projectAbilities } from '../groups/policy.ts'
import { RelationExportStatus } from './entity.ts'
import { askForRelations, fileOf, insistOnSetting, statusesOf } from './service.ts'

interface OwnerKind {
  readonly kind: Owner['kind']
  readonly scope: Scope
  readonly can: Ability
}

const OFF = 'Taking over by other instances is not allowed here'

function relationEndpoints({ kind, scope, can }: OwnerKind): Endpoint[] {
  const at = `/${kind}s/:id/export_relations` as const
  const owned = { scope, can }
  const ownerOf = (ctx: Ctx): Owner => {
    insistOnSetting(ctx)
    return { kind, id: (ctx as unknown as Record<string, { id: number }>)[kind]!.id }
  }
  return [
    endpoint(`POST ${at}`, {
      ...owned,
      summary: `Have the relations of a ${kind} written into files, for another instance that takes it over`,
      params: { batched: bool().optional().describe('In files of a thousand records') },
      fails: { 404: OFF },
      returns: accepted,
      run: (ctx) => askForRelations(ctx, ownerOf(ctx), ctx.params.batched ?? false),
    }),
    endpoint(`GET ${at}/status`, {
      ...owned,
      summary: `Get how far the files of the relations of a ${kind} are`,
      params: { relation: text({ max: 255 }).optional().describe('Only this one') },
      fails: { 404: OFF },
      returns: page(RelationExportStatus, { paging: 'none' }),
      run: (ctx) => ({ rows: statusesOf(ctx, ownerOf(ctx), ctx.params.relation), total: undefined }),
    }),
    endpoint(`GET ${at}/download`, {
      ...owned,
      summary: `Download the file of a relation of a ${kind}`,
      params: {
        relation: text({ max: 255 }).describe('Name of the relation'),
        batched: bool().optional().describe('One of several files'),
        batch_number: int({ min: 1 }).optional().describe('Which of them'),
      },
      together: [allOrNone('batched', 'batch_number')],
      fails: { 400: 'It is written into one file, or into several', 404: OFF },
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
