import type { Ctx } from '../../../ctx.ts'
import { ownedEndpoint, type Endpoint } from '../../../http/endpoint.ts'
import type { Entity } from '../../../http/entity.ts'
import { bool, choice, hash, text } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import type { Ability, Openness, Scope } from '../../../policy/ability.ts'
import { group } from '../../groups/index.ts'
import { project } from '../../projects/index.ts'
import { InstanceVariable, Variable, type OpenVariable } from './entity.ts'
import { abilities, groupAbilities } from '../policy.ts'
import {
  openVariable,
  createVariable,
  findVariable,
  listVariables,
  removeVariable,
  updateVariable,
  type NewVariable,
} from './service.ts'
import type { VariableScope } from './store.ts'

const key = text({ max: 1100 }).describe('Name of the variable: letters, digits and `_`')
const value = text().describe('The value, at most 10,000 characters')
const settings = {
  variable_type: choice('env_var', 'file')
    .optional()
    .describe('`file`: write the value to a file and pass its path'),
  protected: bool().optional().describe('Expose the variable to protected branches and tags only'),
  masked: bool()
    .optional()
    .describe('Mask the value in logs; requires at least eight characters of Base64 or `@:.~`'),
  raw: bool().optional().describe('Do not expand `$` in the value'),
  description: text().nullable().optional().describe('The description, at most 255 characters'),
}
const inEnvironment = {
  environment_scope: text()
    .optional()
    .describe('The environments it applies to; `*` stands for any characters'),
}
const filtered = {
  filter: hash({
    environment_scope: text().optional().describe('The environment scope of the variable'),
  })
    .optional()
    .describe('Filter among variables of the same key'),
}

/** An owner of variables: its routes, scope, abilities and entity. */
interface Kind<Name extends string, Owner> {
  readonly at: `/${string}`
  /** In summaries: "of a project". */
  readonly of: string
  readonly scope?: Scope<Name, Owner>
  readonly can: Ability<Owner> | Openness
  readonly entity: Entity<OpenVariable>
  readonly settings: typeof settings & Partial<typeof inEnvironment>
  readonly filter: Partial<typeof filtered>
  ownerOf(ctx: { readonly [Key in Name]: Owner }): VariableScope
}

type Changes = Parameters<typeof updateVariable>[2]

/** The parameters that choose a variable. */
interface Chosen {
  readonly key: string
  readonly filter?: { readonly environment_scope?: string | undefined } | undefined
}

/** List, get, create, update and delete, for projects, groups and the instance. */
function variableEndpoints<Name extends string, Owner>({
  at,
  of,
  ownerOf,
  ...kind
}: Kind<Name, Owner>): Endpoint[] {
  const common = { scope: kind.scope, can: kind.can }
  const ambiguous = { 409: 'Several have this name: `filter[environment_scope]` has to choose' }
  const fails = { 400: 'A value is not acceptable' }
  const find = (ctx: Ctx & { readonly [Key in Name]: Owner }, { key: name, filter }: Chosen) =>
    findVariable(ctx, ownerOf(ctx), name, filter?.environment_scope)
  return [
    ownedEndpoint(`GET ${at}`, {
      ...common,
      summary: `List variables of ${of}`,
      volatile: true,
      returns: page(kind.entity),
      run: (ctx) => listVariables(ctx, ownerOf(ctx), ctx.paging),
    }),
    ownedEndpoint(`GET ${at}/:key`, {
      ...common,
      summary: `Get a single variable of ${of}`,
      params: { key, ...kind.filter },
      fails: ambiguous,
      volatile: true,
      returns: ok(kind.entity),
      run: (ctx) => openVariable(ctx, find(ctx, ctx.params as Chosen)),
    }),
    ownedEndpoint(`POST ${at}`, {
      ...common,
      summary: `Create a variable of ${of}`,
      params: { key, value, ...kind.settings },
      fails,
      returns: created(kind.entity),
      run: (ctx) => createVariable(ctx, ownerOf(ctx), ctx.params as NewVariable),
    }),
    ownedEndpoint(`PUT ${at}/:key`, {
      ...common,
      summary: `Update a variable of ${of}`,
      params: { key, value: value.optional(), ...kind.settings, ...kind.filter },
      fails: { ...fails, ...ambiguous },
      returns: ok(kind.entity),
      run: (ctx) => {
        const { key: _key, filter: _filter, ...changes } = ctx.params as Chosen & Changes
        return updateVariable(ctx, find(ctx, ctx.params as Chosen), changes)
      },
    }),
    ownedEndpoint(`DELETE ${at}/:key`, {
      ...common,
      summary: `Delete a variable of ${of}`,
      params: { key, ...kind.filter },
      fails: ambiguous,
      returns: noContent,
      run: (ctx) => {
        const row = find(ctx, ctx.params as Chosen)
        ctx.http.unmodifiedSince(row.updated_at)
        removeVariable(ctx, row)
      },
    }),
  ]
}

export const projectVariables = variableEndpoints({
  at: '/projects/:id/variables',
  of: 'a project',
  scope: project,
  can: abilities.manage_variables,
  entity: Variable,
  settings: { ...settings, ...inEnvironment },
  filter: filtered,
  ownerOf: (ctx) => ({ project_id: ctx.project.id, group_id: null }),
})

export const groupVariables = variableEndpoints({
  at: '/groups/:id/variables',
  of: 'a group',
  scope: group,
  can: groupAbilities.manage_group_variables,
  entity: Variable,
  settings: { ...settings, ...inEnvironment },
  filter: filtered,
  ownerOf: (ctx) => ({ project_id: null, group_id: ctx.group.id }),
})

export const instanceVariables = variableEndpoints<never, never>({
  at: '/admin/ci/variables',
  of: 'the instance',
  can: 'admin',
  entity: InstanceVariable,
  settings,
  filter: {},
  ownerOf: () => ({ project_id: null, group_id: null }),
})
