import type { Ctx } from '../../../ctx.ts'
import { ownedEndpoint, type Endpoint } from '../../../http/endpoint.ts'
import { int, text, bool, dictionary } from '../../../http/params.ts'
import { noContent, ok, page } from '../../../http/returns.ts'
import { notFound } from '../../../lib/fail.ts'
import type { Scope } from '../../../policy/ability.ts'
import { CustomAttribute } from './entity.ts'
import type { OwnerKind } from './store.ts'
import {
  getAttribute,
  listAttributes,
  removeAttribute,
  setAttribute,
  type AttributeOwner,
} from './service.ts'

/** The parameter that adds custom attributes to lists and single records, for administrators only. */
export const withAttributesParam = {
  with_custom_attributes: bool().optional().describe('Include custom attributes. Administrators only'),
}

/** The parameter that limits lists to records with all of the attributes, for administrators only. */
export const attributeParams = {
  custom_attributes: dictionary()
    .optional()
    .describe('Limit to records with these custom attributes. Administrators only'),
  ...withAttributesParam,
}

/** A kind of owner of custom attributes: its route, scope and id. */
interface AttributeScope<Name extends string, Owner> {
  readonly plural: string
  readonly noun: string
  readonly kind: OwnerKind
  readonly scope: Scope<Name, Owner> | undefined
  /** Parameters of the owner. */
  readonly params: { id?: ReturnType<typeof int> }
  readonly idOf: (ctx: Ctx & { readonly [Key in Name]: Owner } & { readonly params: object }) => number
}

const keyParam = { key: text({ max: 255, notEmpty: true }).describe('The key of the custom attribute') }

/** Returns the endpoints of one kind of owner (spec core 3). */
function endpointsOf<Name extends string, Owner>({
  plural,
  noun,
  kind,
  scope,
  params,
  idOf,
}: AttributeScope<Name, Owner>): Endpoint[] {
  const at = `/${plural}/:id/custom_attributes` as const
  const owner = (ctx: Parameters<typeof idOf>[0]): AttributeOwner => ({ kind, id: idOf(ctx) })
  const common = { can: 'admin', scope } as const
  return [
    ownedEndpoint(`GET ${at}`, {
      ...common,
      summary: `List the custom attributes of a ${noun}`,
      params,
      pure: true,
      returns: page(CustomAttribute, { paging: 'none' }),
      run: (ctx) => ({ rows: listAttributes(ctx, owner(ctx)) }),
    }),
    ownedEndpoint(`GET ${at}/:key`, {
      ...common,
      summary: `Get a custom attribute of a ${noun}`,
      params: { ...params, ...keyParam },
      pure: true,
      returns: ok(CustomAttribute),
      run: (ctx) => getAttribute(ctx, owner(ctx), ctx.params.key),
    }),
    ownedEndpoint(`PUT ${at}/:key`, {
      ...common,
      summary: `Set a custom attribute of a ${noun}`,
      params: {
        ...params,
        ...keyParam,
        value: text({ max: 65_536 }).describe('The value of the custom attribute'),
      },
      fails: { 400: 'The value is empty' },
      returns: ok(CustomAttribute),
      run: (ctx) => {
        const { key, value } = ctx.params
        return setAttribute(ctx, owner(ctx), { key, value })
      },
    }),
    ownedEndpoint(`DELETE ${at}/:key`, {
      ...common,
      summary: `Delete a custom attribute of a ${noun}`,
      params: { ...params, ...keyParam },
      returns: noContent,
      run: (ctx) => removeAttribute(ctx, owner(ctx), ctx.params.key),
    }),
  ]
}

/** Returns the endpoints below `/projects/:id` or `/groups/:id`. */
export function customAttributeRoutes<Name extends 'project' | 'group', Owner extends { id: number }>(
  scope: Scope<Name, Owner>,
): Endpoint[] {
  return endpointsOf({
    plural: scope.plural,
    noun: scope.name,
    kind: scope.name === 'group' ? 'namespace' : 'project',
    scope,
    params: {},
    idOf: (ctx) => ctx[scope.name].id,
  })
}

/** Returns the endpoints below `/users/:id`. Administrators may see every user, so these need no scope. */
export function userAttributeRoutes(exists: (ctx: Ctx, id: number) => boolean): Endpoint[] {
  return endpointsOf({
    plural: 'users',
    noun: 'user',
    kind: 'user',
    scope: undefined,
    params: { id: int({ min: 1 }).describe('The ID of the user') },
    idOf: (ctx) => {
      const { id } = (ctx as Ctx & { params: { id: number } }).params
      if (!exists(ctx, id)) throw notFound('User')
      return id
    },
  })
}
