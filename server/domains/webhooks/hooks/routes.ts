import type { Ctx } from '../../../ctx.ts'
import { endpoint, type Endpoint } from '../../../http/endpoint.ts'
import { text } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import { fail } from '../../../lib/fail.ts'
import { hook_id, ofGroup, ofInstance, ofProject, type Owned } from './owned.ts'
import { changedHookParams, newHookParams } from './params.ts'
import { openHook } from './sealing.ts'
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

const unacceptable = { 422: 'The address cannot be used, or a value is not acceptable' }

type WithHook = Ctx & { params: { hook_id: number } }

/** The row that the path names. */
function hookIn(owned: Owned, ctx: unknown) {
  const { params, ...rest } = ctx as WithHook
  return findHook(rest, owned.placeOf(ctx as object), params.hook_id)
}

/** List, get, add, change and remove (spec administration 3.6). */
function hookEndpoints(owned: Owned): Endpoint[] {
  const { at, of, access } = owned
  return [
    endpoint(`GET ${at}`, {
      ...access,
      summary: `List the webhooks of ${of}`,
      returns: page(owned.entity),
      run: (ctx) => listHooks(ctx, owned.placeOf(ctx), ctx.paging) as never,
    }),
    endpoint(`GET ${at}/:hook_id`, {
      ...access,
      summary: `Get a webhook of ${of}`,
      params: { hook_id },
      returns: ok(owned.entity),
      run: (ctx) => openHook(ctx, hookIn(owned, ctx)) as never,
    }),
    endpoint(`POST ${at}`, {
      ...access,
      summary: `Add a webhook of ${of}`,
      params: newHookParams(owned.kind),
      fails: unacceptable,
      returns: created(owned.entity),
      run: (ctx) => createHook(ctx, owned.placeOf(ctx), ctx.params as HookFields & { url: string }) as never,
    }),
    endpoint(`PUT ${at}/:hook_id`, {
      ...access,
      summary: `Change a webhook of ${of}`,
      params: { hook_id, ...changedHookParams(owned.kind) },
      fails: { 400: 'Nothing is to be changed', ...unacceptable },
      returns: ok(owned.entity),
      run: (ctx) => {
        const row = hookIn(owned, ctx)
        const { hook_id: _id, id: _owner, ...changes } = ctx.params as HookFields & Record<string, unknown>
        if (Object.keys(changes).length === 0) throw fail('parameter', 'No parameters provided')
        return updateHook(ctx, row, changes) as never
      },
    }),
    endpoint(`DELETE ${at}/:hook_id`, {
      ...access,
      summary: `Remove a webhook of ${of}`,
      params: { hook_id },
      returns: noContent,
      run: (ctx) => {
        const row = hookIn(owned, ctx)
        ctx.http.unmodifiedSince(row.updated_at)
        removeHook(ctx, row)
      },
    }),
  ]
}

/** Single variables of the address and single headers. */
function pairEndpoints(owned: Owned, kind: PairKind, what: string): Endpoint[] {
  const { at, of, access } = owned
  const key = text({ max: 255 }).describe(`Name of the ${what}`)
  return [
    endpoint(`PUT ${at}/:hook_id/${kind}/:key`, {
      ...access,
      summary: `Set a ${what} of a webhook of ${of}`,
      params: { hook_id, key, value: text().describe('Its value, which is kept secret') },
      fails: unacceptable,
      returns: noContent,
      run: (ctx) => {
        const { key: name, value } = ctx.params as { key: string; value: string }
        return setPair(ctx, hookIn(owned, ctx), kind, { key: name, value })
      },
    }),
    endpoint(`DELETE ${at}/:hook_id/${kind}/:key`, {
      ...access,
      summary: `Remove a ${what} of a webhook of ${of}`,
      params: { hook_id, key },
      fails: unacceptable,
      returns: noContent,
      run: (ctx) => removePair(ctx, hookIn(owned, ctx), kind, (ctx.params as { key: string }).key),
    }),
  ]
}

const all = (owned: Owned): Endpoint[] => [
  ...hookEndpoints(owned),
  ...pairEndpoints(owned, 'url_variables', 'variable of the address'),
  ...pairEndpoints(owned, 'custom_headers', 'header'),
]

export const projectHooks = all(ofProject)
export const groupHooks = all(ofGroup)
export const systemHooks = all(ofInstance)
