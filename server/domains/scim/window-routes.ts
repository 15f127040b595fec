import type { Ctx } from '../../ctx.ts'
import { ownedEndpoint, type Endpoint } from '../../http/endpoint.ts'
import { text } from '../../http/params.ts'
import { created, noContent, ok, page } from '../../http/returns.ts'
import { notFound } from '../../lib/fail.ts'
import type { Ability, Openness, Scope } from '../../policy/ability.ts'
import { group, type Group } from '../groups/index.ts'
import { ScimListedIdentity } from './identities/entity.ts'
import { listAll, removeFrom } from './identities/service.ts'
import { groupScopeOf, instanceScope } from './service-scope.ts'
import { scimAbilities } from './policy.ts'
import { ScimConnection } from './tokens/entity.ts'
import { makeToken, revokeToken, tokenOf } from './tokens/service.ts'

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
