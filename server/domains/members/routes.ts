import type { Ctx } from '../../ctx.ts'
import { as, oneOf } from '../../http/entity.ts'
import { endpoint, exactlyOne, type Endpoint, type Exchange } from '../../http/endpoint.ts'
import { bool, day, int, list, text } from '../../http/params.ts'
import { created, noContent, ok, page, type Paging } from '../../http/returns.ts'
import { isoDate } from '../../lib/clock.ts'
import { fail } from '../../lib/fail.ts'
import { isAble, type Ability, type Scope } from '../../policy/ability.ts'
import { Member, MembersAdded } from './entity.ts'
import type { MemberPlace } from './place.ts'
import { addMember, addMembers, changeMember, getMember, removeMember, type Managed } from './service.ts'
import * as store from './store.ts'

/** Abilities that the twin endpoints ask for, on their own kind of owner. */
export interface MemberAbilities<Owner> {
  readonly read: Ability<Owner>
  readonly manage: Ability<Owner>
  /** Every member: to end the own membership. */
  readonly leave: Ability<Owner>
}

const filters = {
  query: text({ max: 255 }).optional().describe('Part of the name or user name, or the whole e-mail address'),
  user_ids: list(int()).optional().describe('Only these users'),
}
const terms = {
  access_level: int().describe('10 guest, 20 reporter, 30 developer, 40 maintainer, 50 owner; groups also 5'),
  expires_at: day().nullable().optional().describe('Day on which the membership ends; null for none'),
}
const userId = { user_id: int().describe('Id of the user') }
const refusals = { 400: 'Level or date are not acceptable', 409: 'Member already exists' }

interface MemberContext extends Ctx {
  readonly params: Readonly<Record<string, never>>
  readonly paging: Paging
  readonly http: Exchange
}

/** The id list of `user_id`; a single id counts as one. */
function idsOf(given: string): number[] {
  if (!/^\s*\d{1,15}(\s*,\s*\d{1,15})*\s*,?\s*$/.test(given)) throw fail('parameter', 'user_id is invalid')
  return given
    .split(',')
    .filter((part) => part.trim() !== '')
    .map(Number)
}

/**
 * The membership endpoints of one kind of owner (spec core 1.4). Projects and groups instantiate them with their scope,
 * their abilities, and what makes them a place of members.
 */
export function memberEndpoints<Name extends string, Owner>(
  scope: Scope<Name, Owner>,
  abilities: MemberAbilities<Owner>,
  placeOf: (owner: Owner) => MemberPlace,
): Endpoint[] {
  const at = `/${scope.plural}/:id/members` as const
  const thing = scope.name
  // The owner's key is the scope's name, which the type checker cannot follow through a type parameter.
  const ownerOf = (ctx: object): Owner => (ctx as Record<string, Owner>)[scope.name]!
  const place = (ctx: object): MemberPlace => placeOf(ownerOf(ctx))
  const managed = (ctx: MemberContext | Ctx): Managed => {
    const level = ctx.actor.is_admin ? Infinity : scope.roleOf(ctx, ownerOf(ctx))
    return { place: place(ctx), level }
  }
  const listed = (all: boolean) => (ctx: Ctx & { params: object; paging: Paging }) =>
    store.list(ctx.db, place(ctx), { ...ctx.params, all, today: isoDate(ctx.now) }, ctx.paging)
  const can = abilities as { read: never; manage: never; leave: never }

  return [
    endpoint(`GET ${at}`, {
      summary: `List the direct members of a ${thing}`,
      scope,
      can: can.read,
      params: { ...filters, skip_users: list(int()).optional().describe('Not these users') },
      pure: true,
      returns: page(Member),
      run: listed(false),
    }),
    endpoint(`GET ${at}/all`, {
      summary: `List all members of a ${thing}, inherited ones included`,
      scope,
      can: can.read,
      params: filters,
      pure: true,
      returns: page(Member),
      run: listed(true),
    }),
    endpoint(`GET ${at}/:user_id`, {
      summary: `Get a direct member of a ${thing}`,
      scope,
      can: can.read,
      params: userId,
      pure: true,
      returns: ok(Member),
      run: (ctx) => getMember(ctx, place(ctx), ctx.params.user_id, false),
    }),
    endpoint(`GET ${at}/all/:user_id`, {
      summary: `Get a member of a ${thing}, inherited ones included`,
      scope,
      can: can.read,
      params: userId,
      pure: true,
      returns: ok(Member),
      run: (ctx) => getMember(ctx, place(ctx), ctx.params.user_id, true),
    }),
    endpoint(`POST ${at}`, {
      summary: `Add members to a ${thing}`,
      scope,
      can: can.manage,
      params: {
        ...terms,
        user_id: text({ max: 10_000 }).optional().describe('Id of the user, or several with commas'),
        username: text({ max: 255 }).optional().describe('Name of the user, instead of the id'),
      },
      together: [exactlyOne('user_id', 'username')],
      fails: refusals,
      returns: created(oneOf(Member, MembersAdded)),
      run: (ctx) => {
        const { user_id, username, ...given } = ctx.params
        const ids = user_id === undefined ? undefined : idsOf(user_id)
        if (ids && user_id!.includes(',')) return as(MembersAdded, addMembers(ctx, managed(ctx), ids, given))
        return as(Member, addMember(ctx, managed(ctx), ids ? { user_id: ids[0]! } : { username }, given))
      },
    }),
    endpoint(`PUT ${at}/:user_id`, {
      summary: `Change a member of a ${thing}`,
      scope,
      can: can.manage,
      params: { ...userId, ...terms },
      fails: { 400: refusals[400] },
      returns: ok(Member),
      run: (ctx) => {
        const { user_id, ...given } = ctx.params
        return changeMember(ctx, managed(ctx), user_id, given)
      },
    }),
    endpoint(`DELETE ${at}/:user_id`, {
      summary: `Remove a member from a ${thing}, or leave it`,
      scope,
      can: can.leave,
      params: {
        ...userId,
        skip_subresources: bool().optional().describe('Keep memberships of subgroups and projects below'),
      },
      returns: noContent,
      run: (ctx) => {
        const own = ctx.params.user_id === ctx.actor.id
        const check = (member: store.MemberView): void => {
          if (!own && !isAble(ctx, scope, abilities.manage, ownerOf(ctx), true)) throw fail('forbidden')
          ctx.http.unmodifiedSince(member.created_at)
        }
        removeMember(ctx, managed(ctx), ctx.params.user_id, {
          keepBelow: ctx.params.skip_subresources ?? false,
          check,
        })
      },
    }),
  ]
}
