import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { ownedEndpoint, type Endpoint, endpoint } from '../../../http/endpoint.ts'
import { entity, time, row } from '../../../http/entity.ts'
import { text } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import { notFound } from '../../../lib/fail.ts'
import type { Ability, Openness, Scope } from '../../../policy/ability.ts'
import { group, type Group } from '../../groups/index.ts'
import { UserBasic } from '../../users/entity.ts'
import { isActive } from './protocol/patch.ts'
import {
  groupScopeOf,
  instanceScope,
  listAll,
  removeFrom,
  changeIdentity,
  findIdentity,
  listIdentities,
  removeIdentity,
} from './service-scope.ts'
import { scimAbilities } from '../policy.ts'
import type { ScimUserRow, ScimTokenRow } from './store.ts'
import { makeToken, revokeToken, tokenOf } from './tokens/service.ts'

const ScimIdentity = entity(
  'ScimIdentity',
  { extern_uid: z.string(), user_id: z.int(), active: z.boolean() },
  row<Pick<ScimUserRow, 'extern_uid' | 'user_id' | 'active'>>(),
)

export const ScimListedIdentity = entity(
  'ScimListedIdentity',
  {
    extern_uid: z.string(),
    active: z.boolean(),
    created_at: time(),
    updated_at: time(),
    user: UserBasic.schema,
  },
  ({ extern_uid, user_id, username, name, state, avatar, ...row }: ScimUserRow, at) => ({
    extern_uid,
    active: isActive({ ...row, state }),
    created_at: row.created_at,
    updated_at: row.updated_at,
    user: UserBasic.present({ id: user_id, username, name, state, avatar }, at),
  }),
)

const uid = text().describe('External UID of the user')
const common = { scope: group, can: scimAbilities.manage_group_scim } as const

export const list = endpoint('GET /groups/:id/scim/identities', {
  ...common,
  summary: 'List the SCIM identities of a group',
  returns: page(ScimIdentity),
  run: ({ group: owner, paging, ...ctx }) => listIdentities(ctx, owner, paging),
})

export const get = endpoint('GET /groups/:id/scim/:uid', {
  ...common,
  summary: 'Get a SCIM identity of a group',
  params: { uid },
  spans: ['uid'],
  returns: ok(ScimIdentity),
  run: ({ group: owner, params, ...ctx }) => findIdentity(ctx, owner, params.uid),
})

export const change = endpoint('PATCH /groups/:id/scim/:uid', {
  ...common,
  summary: 'Update the external UID of a SCIM identity',
  params: {
    uid,
    extern_uid: text({ notEmpty: true, max: 255 }).describe('New external UID of the user'),
  },
  spans: ['uid'],
  fails: { 409: 'The external UID is taken', 412: 'The external UID is too long' },
  returns: noContent,
  run: ({ group: owner, params, ...ctx }) => changeIdentity(ctx, owner, params.uid, params.extern_uid),
})

export const remove = endpoint('DELETE /groups/:id/scim/:uid', {
  ...common,
  summary: 'Delete a SCIM identity of a group; account and membership stay',
  params: { uid },
  spans: ['uid'],
  returns: noContent,
  run: ({ group: owner, params, ...ctx }) => removeIdentity(ctx, owner, params.uid),
})

/** The SCIM configuration of a scope. A scope without a row has none. */
interface ScimSetup {
  readonly address: string
  readonly row: ScimTokenRow | undefined
  /** The text of the token, right after its creation. */
  readonly token?: string
}

const ScimConnection = entity(
  'ScimConnection',
  {
    endpoint: z.string(),
    enabled: z.boolean(),
    created_at: time().nullable(),
    last_used_at: time().nullable(),
    token: z.string().optional(),
  },
  ({ address, row, token }: ScimSetup) => ({
    endpoint: address,
    enabled: row !== undefined,
    created_at: row?.created_at ?? null,
    last_used_at: row?.last_used_at ?? null,
    ...(token === undefined ? {} : { token }),
  }),
)

interface Kind<Name extends 'group'> {
  readonly at: `/-/${string}`
  readonly of: string
  readonly scope?: Scope<Name, Group>
  readonly can: Ability<Group> | Openness
}

/** The group of the request; null is the instance. Throws 404 for a subgroup. */
function ownerOf(ctx: object): Group | null {
  const owner = (ctx as { group?: Group }).group ?? null
  if (owner && owner.parent_id !== null) throw notFound()
  return owner
}

/** The SCIM settings of the window, for a top-level group and for the instance. */
function windowEndpoints<Name extends 'group'>({ at, of, scope, can }: Kind<Name>): Endpoint[] {
  const common = { scope, can }
  const addressOf = (ctx: Ctx, owner: Group | null) =>
    (owner ? groupScopeOf(ctx, owner) : instanceScope(ctx)).address
  return [
    ownedEndpoint(`GET ${at}/connection`, {
      ...common,
      summary: `Get the SCIM connection of ${of}`,
      returns: ok(ScimConnection),
      run: (ctx) => {
        const owner = ownerOf(ctx)
        return { address: addressOf(ctx, owner), row: tokenOf(ctx, owner?.id ?? null) }
      },
    }),
    ownedEndpoint(`POST ${at}/connection`, {
      ...common,
      summary: `Create or replace the SCIM token of ${of}`,
      returns: created(ScimConnection),
      run: (ctx) => {
        const owner = ownerOf(ctx)
        return { address: addressOf(ctx, owner), ...makeToken(ctx, owner?.id ?? null) }
      },
    }),
    ownedEndpoint(`DELETE ${at}/connection`, {
      ...common,
      summary: `Delete the SCIM token of ${of}`,
      returns: noContent,
      run: (ctx) => revokeToken(ctx, ownerOf(ctx)?.id ?? null),
    }),
    ownedEndpoint(`GET ${at}/identities`, {
      ...common,
      summary: `List SCIM identities of ${of}`,
      returns: page(ScimListedIdentity),
      run: (ctx) => listAll(ctx, ownerOf(ctx), ctx.paging),
    }),
    ownedEndpoint(`DELETE ${at}/identities/:uid`, {
      ...common,
      summary: `Delete a SCIM identity of ${of}`,
      params: { uid: text().describe('The external UID of the user') },
      spans: ['uid'],
      returns: noContent,
      run: (ctx) => removeFrom(ctx, ownerOf(ctx), ctx.params.uid),
    }),
  ]
}

export const groupWindow = windowEndpoints({
  at: '/-/groups/:id/scim',
  of: 'a group',
  scope: group,
  can: scimAbilities.manage_group_scim,
})

export const instanceWindow = windowEndpoints<never>({ at: '/-/scim', of: 'the instance', can: 'admin' })
