import type { Ctx } from '../../../ctx.ts'
import { endpoint, type Endpoint } from '../../../http/endpoint.ts'
import type { Entity } from '../../../http/entity.ts'
import { bool, choice, hash, text } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import type { Ability, Openness, Scope } from '../../../policy/ability.ts'
import { group } from '../../groups/index.ts'
import { project } from '../../projects/index.ts'
import { InstanceVariable, Variable, type OpenVariable } from './entity.ts'
import { abilities, groupAbilities } from './policy.ts'
import { openVariable } from './service.ts'
import {
  createVariable,
  findVariable,
  listVariables,
  removeVariable,
  updateVariable,
  type NewVariable,
} from './service.ts'
import type { VariableScope } from './store.ts'

const key = text({ max: 1100 }).describe('Name of the variable: letters, digits and `_`')
const value = text().describe('Its value, at most 10,000 characters')
const settings = {
  variable_type: choice('env_var', 'file')
    .optional()
    .describe('`file`: the value comes as the path of a file'),
  protected: bool().optional().describe('Only for pipelines of protected branches and tags'),
  masked: bool().optional().describe('Hidden in logs; at least eight characters of Base64 or `@:.~`'),
  raw: bool().optional().describe('`$` in the value stands for itself'),
  description: text().nullable().optional().describe('What it is for, at most 255 characters'),
}
const inEnvironment = {
  environment_scope: text().optional().describe('Environments it holds in; `*` stands for any characters'),
}
const filtered = {
  filter: hash({
    environment_scope: text().optional().describe('The one for these environments'),
  })
    .optional()
    .describe('Chooses among variables of the same name'),
}

/** An owner of variables: its routes, scope, abilities and entity. */
interface Kind {
  readonly at: `/${string}`
  /** In summaries: "of a project". */
  readonly of: string
  readonly scope?: Scope<string, { readonly id: number }>
  readonly can: Ability<never> | Openness
  readonly entity: Entity<OpenVariable>
  readonly settings: typeof settings & Partial<typeof inEnvironment>
  readonly filter: Partial<typeof filtered>
  ownerOf(ctx: object): VariableScope
}

type Chosen = Ctx & {
  params: { key: string; filter?: { environment_scope?: string | undefined } | undefined }
}

/** List, get, add, change and remove, alike for projects, groups and the instance. */
function variableEndpoints({ at, of, ownerOf, ...kind }: Kind): Endpoint[] {
  const common = { ...(kind.scope ? { scope: kind.scope } : {}), can: kind.can as never }
  const ambiguous = { 409: 'Several have this name: `filter[environment_scope]` has to choose' }
  const fails = { 400: 'A value is not acceptable' }
  const find = (ctx: unknown) => {
    const { params, ...rest } = ctx as Chosen
    return findVariable(rest, ownerOf(ctx as object), params.key, params.filter?.environment_scope)
  }
  return [
    endpoint(`GET ${at}`, {
      ...common,
      summary: `List variables of ${of}`,
      volatile: true,
      returns: page(kind.entity),
      run: (ctx) => listVariables(ctx, ownerOf(ctx), ctx.paging) as never,
    }),
    endpoint(`GET ${at}/:key`, {
      ...common,
      summary: `Get a single variable of ${of}`,
      params: { key, ...kind.filter },
      fails: ambiguous,
      volatile: true,
      returns: ok(kind.entity),
      run: (ctx) => openVariable(ctx, find(ctx)) as never,
    }),
    endpoint(`POST ${at}`, {
      ...common,
      summary: `Create a variable of ${of}`,
      params: { key, value, ...kind.settings },
      fails,
      returns: created(kind.entity),
      run: (ctx) => createVariable(ctx, ownerOf(ctx), ctx.params as NewVariable) as never,
    }),
    endpoint(`PUT ${at}/:key`, {
      ...common,
      summary: `Update a variable of ${of}`,
      params: { key, value: value.optional(), ...kind.settings, ...kind.filter },
      fails: { ...fails, ...ambiguous },
      returns: ok(kind.entity),
      run: (ctx) => {
        const { key: _key, filter: _filter, ...changes } = ctx.params as Chosen['params']
        return updateVariable(ctx, find(ctx), changes) as never
      },
    }),
    endpoint(`DELETE ${at}/:key`, {
      ...common,
      summary: `Delete a variable of ${of}`,
      params: { key, ...kind.filter },
      fails: ambiguous,
      returns: noContent,
      run: (ctx) => {
        const row = find(ctx)
        ctx.http.unmodifiedSince(row.updated_at)
        removeVariable(ctx, row)
      },
    }),
  ]
}

export const projectVariables = variableEndpoints({
  at: '/projects/:id/variables',
  of: 'a project',
  scope: project as never,
  can: abilities.manage_variables as never,
  entity: Variable,
  settings: { ...settings, ...inEnvironment },
  filter: filtered,
  ownerOf: (ctx) => ({ project_id: (ctx as { project: { id: number } }).project.id, group_id: null }),
})

export const groupVariables = variableEndpoints({
  at: '/groups/:id/variables',
  of: 'a group',
  scope: group as never,
  can: groupAbilities.manage_group_variables as never,
  entity: Variable,
  settings: { ...settings, ...inEnvironment },
  filter: filtered,
  ownerOf: (ctx) => ({ project_id: null, group_id: (ctx as { group: { id: number } }).group.id }),
})

export const instanceVariables = variableEndpoints({
  at: '/admin/ci/variables',
  of: 'the instance',
  can: 'admin',
  entity: InstanceVariable,
  settings,
  filter: {},
  ownerOf: () => ({ project_id: null, group_id: null }),
})
