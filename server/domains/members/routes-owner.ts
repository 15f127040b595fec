import type { Ctx } from '../../ctx.ts'
import { ownedEndpoint, type Endpoint } from '../../http/endpoint.ts'
import { choice, int, text } from '../../http/params.ts'
import { created, ok, page } from '../../http/returns.ts'
import { isoDate } from '../../lib/clock.ts'
import { fail } from '../../lib/fail.ts'
import type { Ability, Scope } from '../../policy/ability.ts'
import { BillableMember, Member } from './entity.ts'
import { setOverride } from './service.ts'
import * as billable from './store-billable.ts'
import type { MemberSource } from './types.ts'
import type { ManagedSource } from './validation.ts'

const userId = { user_id: int().describe('The ID of the user') }
const orders = Object.keys(billable.ORDERS) as (keyof typeof billable.ORDERS)[]

/** Returns the membership endpoints that only groups have (spec core 1.4). */
export function groupMemberEndpoints<Name extends string, Owner>(
  scope: Scope<Name, Owner>,
  abilities: MemberAbilities<Owner>,
  toSource: (owner: Owner) => MemberSource,
): Endpoint[] {
  const kind = memberOwner(scope, abilities, toSource)
  const common = { scope: kind.scope, can: kind.can.manage }
  const override = `${kind.path}/members/:user_id/override` as const
  return [
    ownedEndpoint(`POST ${override}`, {
      ...common,
      summary: 'Set an override of the LDAP access level of a member',
      params: userId,
      returns: created(Member),
      run: (ctx) => setOverride(ctx, kind.source(ctx), ctx.params.user_id, true),
    }),
    ownedEndpoint(`DELETE ${override}`, {
      ...common,
      summary: 'Remove the override of the LDAP access level of a member',
      params: userId,
      returns: ok(Member),
      run: (ctx) => setOverride(ctx, kind.source(ctx), ctx.params.user_id, false),
    }),
    ownedEndpoint(`GET ${kind.path}/billable_members`, {
      ...common,
      summary: 'List billable members of a top-level group',
      params: {
        search: text({ max: 255 }).optional().describe('Search by part of the name or username'),
        sort: choice(...orders)
          .optional()
          .describe('The sort order. Defaults to `name_asc`'),
      },
      fails: { 400: 'The group is not a top-level group' },
      returns: page(BillableMember),
      run: (ctx) => {
        const source = kind.source(ctx)
        if (source.ancestors !== '[]') throw fail('bad_request')
        const filter = { ...ctx.params, today: isoDate(ctx.now) }
        const { rows, total } = billable.list(ctx.db, source.id, filter, ctx.paging)
        return { rows: rows.map((row) => ({ id: row.id, row, email: ctx.actor.is_admin })), total }
      },
    }),
  ]
}

/** Abilities that the membership endpoints require, on their type of owner. */
export interface MemberAbilities<Owner> {
  readonly read: Ability<Owner>
  readonly manage: Ability<Owner>
  /** The ability to end one's own membership and to request access, for everyone who can see the owner. */
  readonly leave: Ability<Owner>
}

/** The context of a request with its loaded owner, under the name of the owner's scope. */
export type OwnerContext<Name extends string, Owner> = Ctx & { readonly [Key in Name]: Owner }

/** A type of owner that has members: projects or groups. */
export interface MemberOwner<Name extends string, Owner> {
  readonly scope: Scope<Name, Owner>
  /** The type of owner, for summaries. */
  readonly noun: Name
  /** The start of the paths, such as `/projects/:id`. */
  readonly path: `/${string}`
  readonly can: MemberAbilities<Owner>
  ownerOf(ctx: OwnerContext<Name, Owner>): Owner
  source(ctx: OwnerContext<Name, Owner>): MemberSource
  /** Returns the owner of the request with the highest access level that the caller may grant. */
  managed(ctx: OwnerContext<Name, Owner>): ManagedSource
}

/** Returns a type of owner for the membership endpoints. */
export function memberOwner<Name extends string, Owner>(
  scope: Scope<Name, Owner>,
  can: MemberAbilities<Owner>,
  toSource: (owner: Owner) => MemberSource,
): MemberOwner<Name, Owner> {
  const ownerOf = (ctx: OwnerContext<Name, Owner>): Owner => ctx[scope.name]
  return {
    scope,
    noun: scope.name,
    path: `/${scope.plural}/:id`,
    can,
    ownerOf,
    source: (ctx) => toSource(ownerOf(ctx)),
    managed: (ctx) => ({
      source: toSource(ownerOf(ctx)),
      level: ctx.actor.is_admin ? Infinity : scope.roleOf(ctx, ownerOf(ctx)),
    }),
  }
}
