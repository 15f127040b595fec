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
  listAllIdentities,
  removeAnyIdentity,
  changeIdentity,
  findIdentity,
  listIdentities,
  removeIdentity,
  createScimToken,
  revokeToken,
} from './service-scope.ts'
import { scimAbilities } from '../policy.ts'
import { tokenOf, type ScimUserRow, type ScimTokenRow } from './store.ts'

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
  slashParams: ['uid'],
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
  slashParams: ['uid'],
  fails: { 409: 'The external UID is taken', 412: 'The external UID is too long' },
  returns: noContent,
  run: ({ group: owner, params, ...ctx }) => changeIdentity(ctx, owner, params.uid, params.extern_uid),
})

export const remove = endpoint('DELETE /groups/:id/scim/:uid', {
  ...common,
  summary: 'Delete a SCIM identity of a group',
  params: { uid },
  slashParams: ['uid'],
  returns: noContent,
  run: ({ group: owner, params, ...ctx }) => removeIdentity(ctx, owner, params.uid),
})

/** The SCIM connection of a scope. Without a row it is disabled. */
interface ScimConnectionView {
  readonly address: string
  readonly row: ScimTokenRow | undefined
  /** The plain text of the token, directly after its creation. */
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
  ({ address, row, token }: ScimConnectionView) => ({
    endpoint: address,
    enabled: row !== undefined,
    created_at: row?.created_at ?? null,
    last_used_at: row?.last_used_at ?? null,
    ...(token === undefined ? {} : { token }),
  }),
)

interface WindowScope<Name extends 'group'> {
  readonly path: `/-/${string}`
  /** The owner in summaries, such as "a group". */
  readonly ofOwner: string
  readonly scope?: Scope<Name, Group>
  readonly can: Ability<Group> | Openness
}

/** Returns the group of the request, or null for the instance. Throws 404 for a subgroup. */
function ownerOf(ctx: object): Group | null {
  const owner = (ctx as { group?: Group }).group ?? null
  if (owner && owner.parent_id !== null) throw notFound()
  return owner
}

/** Returns the endpoints of the SCIM settings in the window, for a top-level group or for the instance. */
function windowEndpoints<Name extends 'group'>({ path, ofOwner, scope, can }: WindowScope<Name>): Endpoint[] {
  const common = { scope, can }
  const addressOf = (ctx: Ctx, owner: Group | null) =>
    (owner ? groupScopeOf(ctx, owner) : instanceScope(ctx)).address
  return [
    ownedEndpoint(`GET ${path}/connection`, {
      ...common,
      summary: `Get the SCIM connection of ${ofOwner}`,
      returns: ok(ScimConnection),
      run: (ctx) => {
        const owner = ownerOf(ctx)
        return { address: addressOf(ctx, owner), row: tokenOf(ctx.db, owner?.id ?? null) }
      },
    }),
    ownedEndpoint(`POST ${path}/connection`, {
      ...common,
      summary: `Create or replace the SCIM token of ${ofOwner}`,
      returns: created(ScimConnection),
      run: (ctx) => {
        const owner = ownerOf(ctx)
        return { address: addressOf(ctx, owner), ...createScimToken(ctx, owner?.id ?? null) }
      },
    }),
    ownedEndpoint(`DELETE ${path}/connection`, {
      ...common,
      summary: `Delete the SCIM token of ${ofOwner}`,
      returns: noContent,
      run: (ctx) => revokeToken(ctx, ownerOf(ctx)?.id ?? null),
    }),
    ownedEndpoint(`GET ${path}/identities`, {
      ...common,
      summary: `List SCIM identities of ${ofOwner}`,
      returns: page(ScimListedIdentity),
      run: (ctx) => listAllIdentities(ctx, ownerOf(ctx), ctx.paging),
    }),
    ownedEndpoint(`DELETE ${path}/identities/:uid`, {
      ...common,
      summary: `Delete a SCIM identity of ${ofOwner}`,
      params: { uid: text().describe('The external UID of the user') },
      slashParams: ['uid'],
      returns: noContent,
      run: (ctx) => removeAnyIdentity(ctx, ownerOf(ctx), ctx.params.uid),
    }),
  ]
}

export const groupWindow = windowEndpoints({
  path: '/-/groups/:id/scim',
  ofOwner: 'a group',
  scope: group,
  can: scimAbilities.manage_group_scim,
})

export const instanceWindow = windowEndpoints<never>({
  path: '/-/scim',
  ofOwner: 'the instance',
  can: 'admin',
})
