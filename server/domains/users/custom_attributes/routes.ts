import type { Ctx } from '../../../ctx.ts'
import { endpoint, type Endpoint } from '../../../http/endpoint.ts'
import { int, text } from '../../../http/params.ts'
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

/** How the endpoints find whose attributes they are about. */
interface Source {
  readonly plural: string
  readonly thing: string
  readonly kind: OwnerKind
  readonly scope: Scope | undefined
  /** Parameters beside those of the attribute. */
  readonly params: { id?: ReturnType<typeof int> }
  readonly idOf: (ctx: Ctx) => number
}

const keyParam = { key: text({ max: 255, notEmpty: true }).describe('Name of the attribute') }

/** The endpoints of one kind of owner (spec core 3). The list is whole, without pages. */
function endpointsOf({ plural, thing, kind, scope, params, idOf }: Source): Endpoint[] {
  const at = `/${plural}/:id/custom_attributes` as const
  const owner = (ctx: Ctx): AttributeOwner => ({ kind, id: idOf(ctx) })
  const common = { can: 'admin' as never, ...(scope ? { scope } : {}) }
  return [
    endpoint(`GET ${at}`, {
      ...common,
      summary: `List the custom attributes of a ${thing}`,
      params,
      pure: true,
      returns: page(CustomAttribute, { paging: 'none' }),
      run: (ctx) => ({ rows: listAttributes(ctx, owner(ctx)) }),
    }),
    endpoint(`GET ${at}/:key`, {
      ...common,
      summary: `Get a custom attribute of a ${thing}`,
      params: { ...params, ...keyParam },
      pure: true,
      returns: ok(CustomAttribute),
      run: (ctx) => getAttribute(ctx, owner(ctx), ctx.params.key),
    }),
    endpoint(`PUT ${at}/:key`, {
      ...common,
      summary: `Set a custom attribute of a ${thing}`,
      params: { ...params, ...keyParam, value: text({ max: 65_536 }).describe('Its value') },
      fails: { 400: 'The value is empty' },
      returns: ok(CustomAttribute),
      run: (ctx) => {
        const { key, value } = ctx.params
        return setAttribute(ctx, owner(ctx), { key, value })
      },
    }),
    endpoint(`DELETE ${at}/:key`, {
      ...common,
      summary: `Delete a custom attribute of a ${thing}`,
      params: { ...params, ...keyParam },
      returns: noContent,
      run: (ctx) => removeAttribute(ctx, owner(ctx), ctx.params.key),
    }),
  ]
}

/** The endpoints below `/projects/:id` or `/groups/:id`, for the owner of that scope. */
export function customAttributeRoutes<Owner extends { id: number }>(
  scope: Scope<'project' | 'group', Owner>,
): Endpoint[] {
  return endpointsOf({
    plural: scope.plural,
    thing: scope.name,
    kind: scope.name === 'group' ? 'namespace' : 'project',
    scope: scope as Scope,
    params: {},
    // The owner's key is the scope's name, which the type checker cannot follow through a type parameter.
    idOf: (ctx) => (ctx as unknown as Record<string, Owner>)[scope.name]!.id,
  })
}

/** The endpoints below `/users/:id`; users are found by id alone, and every one of them is known to administrators. */
export function userAttributeRoutes(exists: (ctx: Ctx, id: number) => boolean): Endpoint[] {
  return endpointsOf({
    plural: 'users',
    thing: 'user',
    kind: 'user',
    scope: undefined,
    params: { id: int({ min: 1 }).describe('Id of the user') },
    idOf: (ctx) => {
      const { id } = (ctx as Ctx & { params: { id: number } }).params
      if (!exists(ctx, id)) throw notFound('User')
      return id
    },
  })
}
