import type { Ctx } from '../../ctx.ts'
import { as, oneOf } from '../../http/entity.ts'
import { endpoint, exactlyOne, type Endpoint } from '../../http/endpoint.ts'
import { bool, choice, day, int, list, text } from '../../http/params.ts'
import { created, noContent, ok, page, type Paging } from '../../http/returns.ts'
import { isoDate } from '../../lib/clock.ts'
import { fail } from '../../lib/fail.ts'
import { isAble, type Scope } from '../../policy/ability.ts'
import { Member, MembersAdded } from './entity.ts'
import { idsOf } from './ids.ts'
import { invitationEndpoints } from './invitations/routes.ts'
import { removeMember } from './leaving.ts'
import * as lists from './list.ts'
import type { MemberSource } from './source.ts'
import { requestEndpoints } from './requests/routes.ts'
import { addMember, addMembers, changeMember, getMember } from './service.ts'
import { kindOf, type MemberAbilities, type MemberSourceKind } from './source-kind.ts'

const seats = { show_seat_info: bool().optional().describe('Say who takes a seat') }
const filters = {
  query: text({ max: 255 }).optional().describe('Part of the name or user name, or the whole e-mail address'),
  user_ids: list(int()).optional().describe('Only these users'),
  ...seats,
}
const state = choice('awaiting', 'active').optional().describe('Only members in this state')
const terms = {
  access_level: int().describe('10 guest, 20 reporter, 30 developer, 40 maintainer, 50 owner; groups also 5'),
  expires_at: day().nullable().optional().describe('Day on which the membership ends; null for none'),
}
const userId = { user_id: int().describe('Id of the user') }
const refusals = { 400: 'Level or date are not acceptable', 409: 'Member already exists' }

interface ListContext extends Ctx {
  readonly params: { show_seat_info?: boolean | undefined; state?: string | undefined }
  readonly paging: Paging
}

/** A page of members. Nobody waits for a seat here, so nobody is `awaiting`. */
function listed(kind: MemberSourceKind, all: boolean) {
  return (ctx: ListContext) => {
    const { show_seat_info, state: wanted, ...filter } = ctx.params
    if (wanted === 'awaiting') return { rows: [], total: 0 }
    const request = { ...filter, all, today: isoDate(ctx.now) }
    const { rows, total } = lists.list(ctx.db, kind.place(ctx), request, ctx.paging)
    return { rows: rows.map((row) => ({ ...row, seat: show_seat_info })), total }
  }
}

/**
 * The membership endpoints of one kind of owner (spec core 1.4): members, invitations and requests for access. Projects
 * and groups instantiate them with their scope, their abilities, and what makes them a place of members.
 */
export function memberEndpoints<Name extends string, Owner>(
  scope: Scope<Name, Owner>,
  abilities: MemberAbilities<Owner>,
  placeOf: (owner: Owner) => MemberSource,
): Endpoint[] {
  const kind = kindOf(scope, abilities, placeOf)
  return [...reads(kind), ...writes(kind), ...invitationEndpoints(kind), ...requestEndpoints(kind)]
}

function reads(kind: MemberSourceKind): Endpoint[] {
  const { scope, thing } = kind
  const at = `${kind.at}/members` as const
  const common = { scope, can: kind.can.read, pure: true }
  return [
    endpoint(`GET ${at}`, {
      ...common,
      summary: `List the direct members of a ${thing}`,
      params: { ...filters, skip_users: list(int()).optional().describe('Not these users') },
      returns: page(Member),
      run: listed(kind, false),
    }),
    endpoint(`GET ${at}/all`, {
      ...common,
      summary: `List all members of a ${thing}, inherited ones and those of invited groups included`,
      params: { ...filters, state },
      returns: page(Member),
      run: listed(kind, true),
    }),
    endpoint(`GET ${at}/:user_id`, {
      ...common,
      summary: `Get a direct member of a ${thing}`,
      params: userId,
      returns: ok(Member),
      run: (ctx) => getMember(ctx, kind.place(ctx), ctx.params.user_id, false),
    }),
    endpoint(`GET ${at}/all/:user_id`, {
      ...common,
      summary: `Get a member of a ${thing}, inherited ones and those of invited groups included`,
      params: userId,
      returns: ok(Member),
      run: (ctx) => getMember(ctx, kind.place(ctx), ctx.params.user_id, true),
    }),
  ]
}

function writes(kind: MemberSourceKind): Endpoint[] {
  const { scope, thing, can } = kind
  const at = `${kind.at}/members` as const
  return [
    endpoint(`POST ${at}`, {
      summary: `Add members to a ${thing}`,
      scope,
      can: can.manage,
      params: {
        ...terms,
        user_id: text({ max: 10_000 }).optional().describe('Id of the user, or several with commas'),
        username: text({ max: 255 }).optional().describe('Name of the user, instead of the id'),
        invite_source: text({ max: 255 }).optional().describe('What made the request; kept by nobody'),
      },
      together: [exactlyOne('user_id', 'username')],
      fails: { ...refusals, 405: 'A group keeps its members to itself' },
      returns: created(oneOf(Member, MembersAdded)),
      run: (ctx) => {
        const { user_id, username, access_level, expires_at } = ctx.params
        const given = { access_level, expires_at }
        const ids = user_id === undefined ? undefined : idsOf(user_id)
        const managed = kind.managed(ctx)
        if (ids && user_id!.includes(',')) return as(MembersAdded, addMembers(ctx, managed, ids, given))
        return as(Member, addMember(ctx, managed, ids ? { user_id: ids[0]! } : { username }, given))
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
        return changeMember(ctx, kind.managed(ctx), user_id, given)
      },
    }),
    remove(kind),
  ]
}

function remove(kind: MemberSourceKind): Endpoint {
  const { scope, thing, abilities } = kind
  return endpoint(`DELETE ${kind.at}/members/:user_id`, {
    summary: `Remove a member from a ${thing}, or leave it`,
    scope,
    can: kind.can.leave,
    params: {
      ...userId,
      skip_subresources: bool().optional().describe('Keep the memberships of subgroups and projects'),
      unassign_issuables: bool().optional().describe('Take from them what is assigned to them here'),
    },
    returns: noContent,
    run: (ctx) => {
      const {
        user_id,
        skip_subresources: keepBelow = false,
        unassign_issuables: unassign = false,
      } = ctx.params
      const own = user_id === ctx.actor.id
      removeMember(ctx, kind.managed(ctx), user_id, {
        keepBelow,
        unassign,
        check: (member) => {
          if (!own && !isAble(ctx, scope, abilities.manage, kind.ownerOf(ctx), true)) throw fail('forbidden')
          ctx.http.unmodifiedSince(member.created_at)
        },
      })
    },
  })
}
