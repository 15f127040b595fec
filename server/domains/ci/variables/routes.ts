import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { ownedEndpoint, type Endpoint } from '../../../http/endpoint.ts'
import { type Entity, entity } from '../../../http/entity.ts'
import { bool, choice, hash, text } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import type { Ability, Openness, Scope } from '../../../policy/ability.ts'
import { group } from '../../groups/index.ts'
import { project } from '../../projects/index.ts'
import { abilities, groupAbilities } from '../policy.ts'
import {
  openVariable,
  createVariable,
  findVariable,
  listVariables,
  removeVariable,
  updateVariable,
  type NewVariable,
  type OpenVariable,
} from './service.ts'
import type { VariableScope } from './store.ts'

const fields = {
  variable_type: z.enum(['env_var', 'file']),
  key: z.string(),
  value: z.string(),
  protected: z.boolean(),
  masked: z.boolean(),
  raw: z.boolean(),
}

function presentBasic({ row, value }: OpenVariable) {
  return {
    variable_type: row.variable_type,
    key: row.key,
    value,
    protected: row.protected,
    masked: row.masked,
    raw: row.raw,
  }
}

/** A variable of a project or group (spec ci 2.9). */
const Variable = entity(
  'Variable',
  { ...fields, environment_scope: z.string(), description: z.string().nullable() },
  (variable: OpenVariable) => ({
    ...presentBasic(variable),
    environment_scope: variable.row.environment_scope,
    description: variable.row.description,
  }),
)

/** A variable of the instance, which applies to all environments. */
const InstanceVariable = entity(
  'InstanceVariable',
  { ...fields, description: z.string().nullable() },
  (variable: OpenVariable) => ({ ...presentBasic(variable), description: variable.row.description }),
)

const key = text({ max: 1100 }).describe('The key of the variable: letters, digits and `_`')
const value = text().describe('The value, at most 10,000 characters')
const settings = {
  variable_type: choice('env_var', 'file')
    .optional()
    .describe('With `file`, the job receives the path of a file with the value'),
  protected: bool().optional().describe('Whether only jobs of protected branches and tags get the variable'),
  masked: bool()
    .optional()
    .describe(
      'Whether to mask the value in logs. The value needs at least eight characters of Base64 or `@:.~`',
    ),
  raw: bool().optional().describe('Whether to use the value literally, without expanding variables in it'),
  description: text().nullable().optional().describe('The description, at most 255 characters'),
}
const environmentScope = {
  environment_scope: text()
    .optional()
    .describe('The environments to which the variable applies. `*` matches any characters'),
}
const scopeFilter = {
  filter: hash({
    environment_scope: text().optional().describe('The environment scope of the variable'),
  })
    .optional()
    .describe('Select one of several variables with the same key'),
}

/** How the endpoints differ between projects, groups and the instance. */
interface OwnerKind<Name extends string, Owner> {
  readonly path: `/${string}`
  /** The noun in summaries, such as `a project`. */
  readonly noun: string
  readonly scope?: Scope<Name, Owner>
  readonly can: Ability<Owner> | Openness
  readonly entity: Entity<OpenVariable>
  readonly settings: typeof settings & Partial<typeof environmentScope>
  readonly filter: Partial<typeof scopeFilter>
  ownerOf(ctx: { readonly [Key in Name]: Owner }): VariableScope
}

type Changes = Parameters<typeof updateVariable>[2]

/** The parameters that select a variable. */
interface VariableSelector {
  readonly key: string
  readonly filter?: { readonly environment_scope?: string | undefined } | undefined
}

/** Declares the endpoints that list, get, create, update and delete the variables of an owner. */
function variableEndpoints<Name extends string, Owner>({
  path,
  noun,
  ownerOf,
  ...kind
}: OwnerKind<Name, Owner>): Endpoint[] {
  const common = { scope: kind.scope, can: kind.can }
  const ambiguous = { 409: 'Several variables have this key. Use `filter[environment_scope]`' }
  const fails = { 400: 'A value is invalid' }
  const find = (ctx: Ctx & { readonly [Key in Name]: Owner }, { key: name, filter }: VariableSelector) =>
    findVariable(ctx, ownerOf(ctx), name, filter?.environment_scope)
  return [
    ownedEndpoint(`GET ${path}`, {
      ...common,
      summary: `List variables of ${noun}`,
      volatile: true,
      returns: page(kind.entity),
      run: (ctx) => listVariables(ctx, ownerOf(ctx), ctx.paging),
    }),
    ownedEndpoint(`GET ${path}/:key`, {
      ...common,
      summary: `Get a single variable of ${noun}`,
      params: { key, ...kind.filter },
      fails: ambiguous,
      volatile: true,
      returns: ok(kind.entity),
      run: (ctx) => openVariable(ctx, find(ctx, ctx.params as VariableSelector)),
    }),
    ownedEndpoint(`POST ${path}`, {
      ...common,
      summary: `Create a variable of ${noun}`,
      params: { key, value, ...kind.settings },
      fails,
      returns: created(kind.entity),
      run: (ctx) => createVariable(ctx, ownerOf(ctx), ctx.params as NewVariable),
    }),
    ownedEndpoint(`PUT ${path}/:key`, {
      ...common,
      summary: `Update a variable of ${noun}`,
      params: { key, value: value.optional(), ...kind.settings, ...kind.filter },
      fails: { ...fails, ...ambiguous },
      returns: ok(kind.entity),
      run: (ctx) => {
        const { key: _key, filter: _filter, ...changes } = ctx.params as VariableSelector & Changes
        return updateVariable(ctx, find(ctx, ctx.params as VariableSelector), changes)
      },
    }),
    ownedEndpoint(`DELETE ${path}/:key`, {
      ...common,
      summary: `Delete a variable of ${noun}`,
      params: { key, ...kind.filter },
      fails: ambiguous,
      returns: noContent,
      run: (ctx) => {
        const row = find(ctx, ctx.params as VariableSelector)
        ctx.http.unmodifiedSince(row.updated_at)
        removeVariable(ctx, row)
      },
    }),
  ]
}

export const projectVariables = variableEndpoints({
  path: '/projects/:id/variables',
  noun: 'a project',
  scope: project,
  can: abilities.manage_variables,
  entity: Variable,
  settings: { ...settings, ...environmentScope },
  filter: scopeFilter,
  ownerOf: (ctx) => ({ project_id: ctx.project.id, group_id: null }),
})

export const groupVariables = variableEndpoints({
  path: '/groups/:id/variables',
  noun: 'a group',
  scope: group,
  can: groupAbilities.manage_group_variables,
  entity: Variable,
  settings: { ...settings, ...environmentScope },
  filter: scopeFilter,
  ownerOf: (ctx) => ({ project_id: null, group_id: ctx.group.id }),
})

export const instanceVariables = variableEndpoints<never, never>({
  path: '/admin/ci/variables',
  noun: 'the instance',
  can: 'admin',
  entity: InstanceVariable,
  settings,
  filter: {},
  ownerOf: () => ({ project_id: null, group_id: null }),
})
