import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { ownedEndpoint, type Endpoint } from '../../../http/endpoint.ts'
import { entity } from '../../../http/entity.ts'
import { choice, day, int, intChoice, list, text } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import { fail } from '../../../lib/fail.ts'
import { hasAbility, type Ability, type Scope } from '../../../policy/ability.ts'
import { PersonalAccessToken } from '../../auth/entity.ts'
import { group, type Group } from '../../groups/index.ts'
import { groupSource, projectSource, type MemberSource } from '../../members/index.ts'
import { project, type Project } from '../../projects/index.ts'
import { type TokenOwner, abilities, groupAbilities } from '../policy.ts'
import {
  ACCESS_TOKEN_SCOPES,
  createToken,
  getToken,
  removeToken,
  rotateToken,
  type NewAccessToken,
} from './service.ts'
import * as store from './store.ts'
import type { AccessTokenRow } from './store.ts'

const fields = { ...PersonalAccessToken.fields, access_level: z.int().nullable() }

/** A token of a project or group: a personal token of its bot, and the bot's role (spec core 7.4). */
const AccessToken = entity('AccessToken', fields, (row: AccessTokenRow, at) => ({
  ...PersonalAccessToken.present(row, at),
  access_level: row.access_level,
}))

/** A new token with its secret value, which no other response contains. */
const AccessTokenWithToken = entity(
  'AccessTokenWithToken',
  { ...fields, token: z.string() },
  ({ row, token }: NewAccessToken, at) => ({ ...AccessToken.present(row, at), token }),
)

const token_id = int({ min: 1 }).describe('The ID of the token')
const newTokenParams = {
  name: text({ max: 255 }).describe('The name of the token'),
  scopes: list(choice(...ACCESS_TOKEN_SCOPES)).describe('The scopes of the token'),
  access_level: intChoice(10, 20, 30, 40, 50)
    .default(40)
    .describe('The access level: 10 (Guest), 20 (Reporter), 30 (Developer), 40 (Maintainer) or 50 (Owner)'),
  expires_at: day()
    .nullable()
    .optional()
    .describe('The expiry date of the token. By default the token does not expire'),
}
const newExpiry = day().optional().describe('The expiry date of the new token. Defaults to one week from now')

/** The abilities and members of one kind of token owner. */
interface TokenScope<Owner> {
  /** The ability to call the endpoints. The service checks `manage`, because the contract has other errors for it. */
  readonly call: Ability<Owner>
  readonly manage: Ability<Owner>
  membersOf(owner: Owner): MemberSource
}

/** Returns the endpoints for access tokens of one kind of owner (spec core 7.4). */
function tokenEndpoints<Name extends 'project' | 'group', Owner extends { readonly id: number }>(
  scope: Scope<Name, Owner>,
  tokenScope: TokenScope<Owner>,
): Endpoint[] {
  const at = `/${scope.plural}/:id/access_tokens` as const
  const can = tokenScope.call
  const ownerOf = (ctx: Ctx & { readonly [Key in Name]: Owner }): TokenOwner => {
    const owner = ctx[scope.name]
    return {
      kind: scope.name,
      id: owner.id,
      members: tokenScope.membersOf(owner),
      manages: hasAbility(ctx, scope, tokenScope.manage, owner),
      level: ctx.actor.is_admin ? Infinity : scope.roleOf(ctx, owner),
    }
  }
  return [
    ownedEndpoint(`GET ${at}`, {
      summary: `List ${scope.name} access tokens`,
      scope,
      can,
      returns: page(AccessToken),
      run: (ctx) => {
        const owner = ownerOf(ctx)
        if (!owner.manages) throw fail('unauthorized')
        return store.list(ctx.db, owner, ctx.paging)
      },
    }),
    ownedEndpoint(`GET ${at}/:token_id`, {
      summary: `Get a ${scope.name} access token`,
      scope,
      can,
      params: { token_id },
      returns: ok(AccessToken),
      run: (ctx) => getToken(ctx, ownerOf(ctx), ctx.params.token_id),
    }),
    ownedEndpoint(`POST ${at}`, {
      summary: `Create a ${scope.name} access token`,
      scope,
      can,
      params: newTokenParams,
      fails: { 400: 'The user has no permission, or a value is invalid' },
      returns: created(AccessTokenWithToken),
      run: (ctx) => createToken(ctx, ownerOf(ctx), ctx.params),
    }),
    ownedEndpoint(`POST ${at}/:token_id/rotate`, {
      summary: `Rotate a ${scope.name} access token`,
      scope,
      can,
      volatile: true,
      params: { token_id, expires_at: newExpiry },
      fails: { 400: 'The token is revoked or expired, or a value is invalid' },
      returns: ok(AccessTokenWithToken),
      run: (ctx) => rotateToken(ctx, ownerOf(ctx), ctx.params.token_id, ctx.params.expires_at),
    }),
    ownedEndpoint(`DELETE ${at}/:token_id`, {
      summary: `Revoke a ${scope.name} access token`,
      scope,
      can,
      params: { token_id },
      fails: { 400: 'The user has no permission' },
      returns: noContent,
      run: (ctx) =>
        removeToken(ctx, ownerOf(ctx), ctx.params.token_id, (row) =>
          ctx.http.unmodifiedSince(row.created_at),
        ),
    }),
  ]
}

export const projectTokens = tokenEndpoints<'project', Project>(project, {
  call: abilities.ask_for_access_tokens,
  manage: abilities.manage_access_tokens,
  membersOf: projectSource,
})

export const groupTokens = tokenEndpoints<'group', Group>(group as Scope<'group', Group>, {
  call: groupAbilities.ask_for_group_access_tokens,
  manage: groupAbilities.manage_group_access_tokens,
  membersOf: (owner) => groupSource({ id: owner.id, lineage: owner.lineage, owner_id: null }),
})
