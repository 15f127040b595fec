import { z } from 'zod'

import type { Ctx } from '../../../../ctx.ts'
import { endpoint, type Endpoint } from '../../../../http/endpoint.ts'
import { entity, time } from '../../../../http/entity.ts'
import { bool, choice, int, list, text, timestamp } from '../../../../http/params.ts'
import { created, noContent, ok, page } from '../../../../http/returns.ts'
import type { Ability, Scope } from '../../../../policy/ability.ts'
import { group } from '../../../groups/index.ts'
import { project } from '../../../projects/index.ts'
import { abilities, groupAbilities } from '../../policy.ts'
import { createToken, getToken, removeToken, DEPLOY_TOKEN_SCOPES, type NewDeployToken } from './service.ts'
import * as store from './store.ts'
import type { TokenOwner, DeployTokenRow } from './store.ts'

const tokenFields = {
  id: z.int(),
  name: z.string(),
  username: z.string(),
  expires_at: time().nullable(),
  scopes: z.array(z.string()),
  revoked: z.boolean(),
  expired: z.boolean(),
}

function tokenOf(row: DeployTokenRow, now: string) {
  return {
    id: row.id,
    name: row.name,
    username: row.username,
    expires_at: row.expires_at,
    scopes: row.scopes,
    revoked: row.revoked,
    expired: row.expires_at !== null && row.expires_at <= now,
  }
}

/** A deploy token (spec administration 13). */
const DeployToken = entity('DeployToken', tokenFields, (row: DeployTokenRow, at) => tokenOf(row, at.now))

/** A new deploy token. No other answer contains its text. */
const DeployTokenWithToken = entity(
  'DeployTokenWithToken',
  { ...tokenFields, token: z.string() },
  ({ row, token }: NewDeployToken, at) => ({ ...tokenOf(row, at.now), token }),
)

const active = bool().optional().describe('List only active (`true`) or inactive (`false`) tokens')
const token_id = int({ min: 1 }).describe('Id of the token')
const newToken = {
  name: text({ max: 255 }).describe('The name of the token'),
  scopes: list(choice(...DEPLOY_TOKEN_SCOPES)).describe('The scopes of the token'),
  expires_at: timestamp().nullable().optional().describe('The expiry time of the token (default: none)'),
  username: text({ max: 255 }).nullable().optional().describe('The username (default: generated)'),
}

export const listDeployTokens = endpoint('GET /deploy_tokens', {
  summary: 'List all deploy tokens',
  can: 'admin',
  params: { active },
  returns: page(DeployToken),
  run: ({ params, paging, ...ctx }) => store.list(ctx.db, { ...params, now: ctx.now }, paging),
})

/** The endpoints for the deploy tokens of projects or of groups. */
function tokenEndpoints<Name extends string, Owner extends { readonly id: number }>(
  scope: Scope<Name, Owner>,
  ownAbilities: { read: Ability<Owner>; manage: Ability<Owner> },
  ownerOf: (id: number) => TokenOwner,
): Endpoint[] {
  const path = `/${scope.plural}/:id/deploy_tokens` as const
  const owner = (ctx: object) => ownerOf((ctx as Record<string, Owner>)[scope.name]!.id)
  const can = ownAbilities as { read: never; manage: never }
  return [
    endpoint(`GET ${path}`, {
      summary: `List ${scope.name} deploy tokens`,
      scope,
      can: can.read,
      params: { active },
      returns: page(DeployToken),
      run: (ctx) => store.list(ctx.db, { ...ctx.params, owner: owner(ctx), now: ctx.now }, ctx.paging),
    }),
    endpoint(`GET ${path}/:token_id`, {
      summary: `Get a single ${scope.name} deploy token`,
      scope,
      can: can.read,
      params: { token_id },
      returns: ok(DeployToken),
      run: (ctx) => getToken(ctx, owner(ctx), ctx.params.token_id),
    }),
    endpoint(`POST ${path}`, {
      summary: `Create a ${scope.name} deploy token`,
      scope,
      can: can.manage,
      params: newToken,
      fails: { 400: 'A value is invalid' },
      returns: created(DeployTokenWithToken),
      run: (ctx) => createToken(ctx as Ctx, owner(ctx), ctx.params),
    }),
    endpoint(`DELETE ${path}/:token_id`, {
      summary: `Delete a ${scope.name} deploy token`,
      scope,
      can: can.manage,
      params: { token_id },
      returns: noContent,
      run: (ctx) => {
        const row = getToken(ctx, owner(ctx), ctx.params.token_id)
        ctx.http.unmodifiedSince(row.created_at)
        removeToken(ctx, row)
      },
    }),
  ]
}

export const projectTokens = tokenEndpoints(
  project,
  { read: abilities.read_deploy_tokens, manage: abilities.manage_deploy_tokens },
  (project_id) => ({ project_id }),
)

export const groupTokens = tokenEndpoints(
  group,
  { read: groupAbilities.read_group_deploy_tokens, manage: groupAbilities.manage_group_deploy_tokens },
  (namespace_id) => ({ namespace_id }),
)
