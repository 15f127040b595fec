import type { Ctx } from '../../ctx.ts'
import { endpoint, type Endpoint } from '../../http/endpoint.ts'
import { text } from '../../http/params.ts'
import { created, noContent, ok, page } from '../../http/returns.ts'
import { notFound } from '../../lib/fail.ts'
import type { Ability, Openness, Scope } from '../../policy/ability.ts'
import { group, type Group } from '../groups/index.ts'
import { ScimListedIdentity } from './identities/entity.ts'
import { listAll, removeFrom } from './identities/service.ts'
import { groupScopeOf, instanceScope } from './scope.ts'
import { scimAbilities } from './policy.ts'
import { ScimConnection } from './tokens/entity.ts'
import { makeToken, revokeToken, tokenOf } from './tokens/service.ts'

interface Kind {
  readonly at: `/-/${string}`
  readonly of: string
  readonly scope?: Scope<'group', Group>
  readonly can: Ability<never> | Openness
}

/** The group that is asked about; null is the instance. Throws 404 for a group below another. */
function ownerOf(ctx: object): Group | null {
  const owner = (ctx as { group?: Group }).group ?? null
  if (owner && owner.parent_id !== null) throw notFound()
  return owner
}

/** What the window sets up, alike for a top-level group and for the instance. */
function windowEndpoints({ at, of, scope, can }: Kind): Endpoint[] {
  const common = { ...(scope ? { scope } : {}), can: can as never }
  const addressOf = (ctx: Ctx, owner: Group | null) =>
    (owner ? groupScopeOf(ctx, owner) : instanceScope(ctx)).address
  return [
    endpoint(`GET ${at}/connection`, {
      ...common,
      summary: `How identity providers reach ${of}`,
      returns: ok(ScimConnection),
      run: (ctx) => {
        const owner = ownerOf(ctx)
        return { address: addressOf(ctx, owner), row: tokenOf(ctx, owner?.id ?? null) }
      },
    }),
    endpoint(`POST ${at}/connection`, {
      ...common,
      summary: `Make the SCIM token of ${of}, in the place of the present one`,
      returns: created(ScimConnection),
      run: (ctx) => {
        const owner = ownerOf(ctx)
        return { address: addressOf(ctx, owner), ...makeToken(ctx, owner?.id ?? null) }
      },
    }),
    endpoint(`DELETE ${at}/connection`, {
      ...common,
      summary: `Take the SCIM token of ${of} away`,
      returns: noContent,
      run: (ctx) => revokeToken(ctx, ownerOf(ctx)?.id ?? null),
    }),
    endpoint(`GET ${at}/identities`, {
      ...common,
      summary: `List whom an identity provider brought into ${of}`,
      returns: page(ScimListedIdentity),
      run: (ctx) => listAll(ctx, ownerOf(ctx), ctx.paging),
    }),
    endpoint(`DELETE ${at}/identities/:uid`, {
      ...common,
      summary: `Forget what an identity provider calls a user of ${of}`,
      params: { uid: text().describe('What the identity provider calls the user') },
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
  can: scimAbilities.manage_group_scim as never,
})

export const instanceWindow = windowEndpoints({ at: '/-/scim', of: 'the instance', can: 'admin' })
