import { endpoint, type Endpoint } from '../../../http/endpoint.ts'
import { text } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import { fail } from '../../../lib/fail.ts'
import { openHook } from './hook.ts'
import {
  groupOwner,
  hook_id,
  type HookOwnerKind,
  instanceOwner,
  ownerIn,
  projectOwner,
} from './owner-routes.ts'
import { changedHookParams, newHookParams } from './params.ts'
import {
  createHook,
  findHook,
  type HookFields,
  listHooks,
  type PairKind,
  removeHook,
  removePair,
  setPair,
  updateHook,
} from './service.ts'

const refusals = { 422: 'The URL or another value is not valid' }

/** List, get, create, update and delete webhooks (spec administration 3.6). */
function hookEndpoints({ at, name, access, kind, entity }: HookOwnerKind): Endpoint[] {
  return [
    endpoint(`GET ${at}`, {
      ...access,
      summary: `List ${name} webhooks`,
      returns: page(entity),
      run: (ctx) => listHooks(ctx, ownerIn(ctx), ctx.paging),
    }),
    endpoint(`GET ${at}/:hook_id`, {
      ...access,
      summary: `Get a ${name} webhook`,
      params: { hook_id },
      returns: ok(entity),
      run: (ctx) => openHook(ctx, findHook(ctx, ownerIn(ctx), ctx.params.hook_id)),
    }),
    endpoint(`POST ${at}`, {
      ...access,
      summary: `Create a ${name} webhook`,
      params: newHookParams(kind),
      fails: refusals,
      returns: created(entity),
      run: ({ params, ...ctx }) => createHook(ctx, ownerIn(ctx), params),
    }),
    endpoint(`PUT ${at}/:hook_id`, {
      ...access,
      summary: `Update a ${name} webhook`,
      params: { hook_id, ...changedHookParams(kind) },
      fails: { 400: 'No parameters were given', ...refusals },
      returns: ok(entity),
      run: (ctx) => {
        const row = findHook(ctx, ownerIn(ctx), ctx.params.hook_id)
        const { hook_id: _id, ...given } = ctx.params
        const { id: _owner, ...changes }: HookFields & { id?: unknown } = given
        if (Object.keys(changes).length === 0) throw fail('parameter', 'No parameters provided')
        return updateHook(ctx, row, changes)
      },
    }),
    endpoint(`DELETE ${at}/:hook_id`, {
      ...access,
      summary: `Delete a ${name} webhook`,
      params: { hook_id },
      returns: noContent,
      run: (ctx) => {
        const row = findHook(ctx, ownerIn(ctx), ctx.params.hook_id)
        ctx.http.unmodifiedSince(row.updated_at)
        removeHook(ctx, row)
      },
    }),
  ]
}

/** Set and delete single URL variables and custom headers. */
function pairEndpoints({ at, name, access }: HookOwnerKind, kind: PairKind, what: string): Endpoint[] {
  const key = text({ max: 255 }).describe(`The name of the ${what}`)
  return [
    endpoint(`PUT ${at}/:hook_id/${kind}/:key`, {
      ...access,
      summary: `Set a ${what} of a ${name} webhook`,
      params: { hook_id, key, value: text().describe(`The value of the ${what}, which is kept secret`) },
      fails: refusals,
      returns: noContent,
      run: (ctx) => {
        const { hook_id: id, ...pair } = ctx.params
        return setPair(ctx, findHook(ctx, ownerIn(ctx), id), kind, pair)
      },
    }),
    endpoint(`DELETE ${at}/:hook_id/${kind}/:key`, {
      ...access,
      summary: `Delete a ${what} of a ${name} webhook`,
      params: { hook_id, key },
      fails: refusals,
      returns: noContent,
      run: (ctx) => removePair(ctx, findHook(ctx, ownerIn(ctx), ctx.params.hook_id), kind, ctx.params.key),
    }),
  ]
}

const endpointsOf = (owner: HookOwnerKind): Endpoint[] => [
  ...hookEndpoints(owner),
  ...pairEndpoints(owner, 'url_variables', 'URL variable'),
  ...pairEndpoints(owner, 'custom_headers', 'custom header'),
]

export const projectHooks = endpointsOf(projectOwner)
export const groupHooks = endpointsOf(groupOwner)
export const systemHooks = endpointsOf(instanceOwner)
