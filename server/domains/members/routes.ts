import { as, oneOf } from '../../http/entity.ts'
import { ownedEndpoint, exactlyOne, type Endpoint } from '../../http/endpoint.ts'
import { bool, choice, day, int, list, text } from '../../http/params.ts'
import { created, noContent, ok, page, type Paging } from '../../http/returns.ts'
import { isoDate } from '../../lib/clock.ts'
import { fail } from '../../lib/fail.ts'
import { hasAbility, type Scope } from '../../policy/ability.ts'
import { Member, MembersAdded, AccessRequester } from './entity.ts'
import { approve, deny, requestAccess } from './service-invitations.ts'
import * as store from './store.ts'
import { idsOf } from './validation.ts'
import { invitationEndpoints } from './invitation-routes.ts'
import { removeMember, addMember, addMembers, changeMember, getMember, seesEmail } from './service.ts'
import * as lists from './store-list.ts'
import type { MemberSource } from './types.ts'
import { memberOwner, type MemberAbilities, type MemberOwner, type OwnerContext } from './routes-owner.ts'

const requesterId = { user_id: int().describe('The ID of the user who requested access') }
const DEVELOPER = 30

/** Returns the endpoints for access requests of one type of owner (spec core 1.4). */
function requestEndpoints<Name extends string, Owner>(kind: MemberOwner<Name, Owner>): Endpoint[] {
  const { scope, noun, can } = kind
  const at = `${kind.path}/access_requests` as const
  return [
    ownedEndpoint(`GET ${at}`, {
      summary: `List access requests for a ${noun}`,
      scope,
      can: can.manage,
      pure: true,
      returns: page(AccessRequester),
      run: (ctx) => store.listRequests(ctx.db, kind.source(ctx), ctx.paging),
    }),
    ownedEndpoint(`POST ${at}`, {
      summary: `Request access to a ${noun}`,
      scope,
      can: can.leave,
      fails: { 400: 'The user has already requested access' },
      returns: created(AccessRequester),
      run: (ctx) => requestAccess(ctx, kind.source(ctx)),
    }),
    ownedEndpoint(`PUT ${at}/:user_id/approve`, {
      summary: `Approve an access request for a ${noun}`,
      scope,
      can: can.manage,
      params: {
        ...requesterId,
        access_level: int()
          .optional()
          .describe('The access level of the new member. Defaults to 30 (Developer)'),
      },
      fails: { 400: 'The access level is invalid', 409: 'Member already exists' },
      returns: created(Member),
      run: (ctx) => approve(ctx, kind.managed(ctx), ctx.params.user_id, ctx.params.access_level ?? DEVELOPER),
    }),
    ownedEndpoint(`DELETE ${at}/:user_id`, {
      summary: `Deny an access request for a ${noun}`,
      scope,
      can: can.leave,
      params: requesterId,
      returns: noContent,
      run: (ctx) => {
        const isSelf = ctx.params.user_id === ctx.actor.id
        if (!isSelf && !hasAbility(ctx, scope, kind.can.manage, kind.ownerOf(ctx), true))
          throw fail('forbidden')
        deny(ctx, kind.source(ctx), ctx.params.user_id)
      },
    }),
  ]
}

const seatParam = { show_seat_info: bool().optional().describe('Include whether each member uses a seat') }
const filterParams = {
  query: text({ max: 255 })
    .optional()
    .describe('Search by part of the name or username, or by the full public email address'),
  user_ids: list(int()).optional().describe('Limit to users with these IDs'),
  ...seatParam,
}
const state = choice('awaiting', 'active').optional().describe('Limit to members in this state')
const termsParams = {
  access_level: int().describe(
    'The access level: 10 Guest, 20 Reporter, 30 Developer, 40 Maintainer, 50 Owner. Groups also have 5, Minimal access',
  ),
  expires_at: day()
    .nullable()
    .optional()
    .describe('The date on which the membership expires. Null removes the date'),
}
const userId = { user_id: int().describe('The ID of the user') }
const FAILURES = { 400: 'The access level or the date is invalid', 409: 'Member already exists' }

interface ListContext {
  readonly params: { show_seat_info?: boolean | undefined; state?: string | undefined }
  readonly paging: Paging
}

/**
 * Returns the handler that lists members: direct ones, or all. No member is `awaiting`, because the number of seats
 * is not limited.
 */
function listMembers<Name extends string, Owner>(kind: MemberOwner<Name, Owner>, all: boolean) {
  return (ctx: OwnerContext<Name, Owner> & ListContext) => {
    const { show_seat_info, state: requestedState, ...filter } = ctx.params
    if (requestedState === 'awaiting') return { rows: [], total: 0 }
    const request = { ...filter, all, today: isoDate(ctx.now) }
    const { rows, total } = lists.list(ctx.db, kind.source(ctx), request, ctx.paging)
    return {
      rows: rows.map((row) => ({ ...row, seat: show_seat_info, showsEmail: seesEmail(ctx, row) })),
      total,
    }
  }
}

/**
 * Returns the membership endpoints of one type of owner (spec core 1.4): members, invitations and access requests.
 * The domains of projects and groups call this function with their scope and abilities.
 */
export function memberEndpoints<Name extends string, Owner>(
  scope: Scope<Name, Owner>,
  abilities: MemberAbilities<Owner>,
  toSource: (owner: Owner) => MemberSource,
): Endpoint[] {
  const kind = memberOwner(scope, abilities, toSource)
  return [
    ...readEndpoints(kind),
    ...writeEndpoints(kind),
    ...invitationEndpoints(kind),
    ...requestEndpoints(kind),
  ]
}

function readEndpoints<Name extends string, Owner>(kind: MemberOwner<Name, Owner>): Endpoint[] {
  const { scope, noun } = kind
  const at = `${kind.path}/members` as const
  const common = { scope, can: kind.can.read, pure: true }
  return [
    ownedEndpoint(`GET ${at}`, {
      ...common,
      summary: `List direct members of a ${noun}`,
      params: {
        ...filterParams,
        skip_users: list(int()).optional().describe('Exclude users with these IDs'),
      },
      returns: page(Member),
      run: listMembers(kind, false),
    }),
    ownedEndpoint(`GET ${at}/all`, {
      ...common,
      summary: `List all members of a ${noun}, including inherited and invited members`,
      params: { ...filterParams, state },
      returns: page(Member),
      run: listMembers(kind, true),
    }),
    ownedEndpoint(`GET ${at}/:user_id`, {
      ...common,
      summary: `Get a single direct member of a ${noun}`,
      params: userId,
      returns: ok(Member),
      run: (ctx) => getMember(ctx, kind.source(ctx), ctx.params.user_id, false),
    }),
    ownedEndpoint(`GET ${at}/all/:user_id`, {
      ...common,
      summary: `Get a single member of a ${noun}, including inherited and invited members`,
      params: userId,
      returns: ok(Member),
      run: (ctx) => getMember(ctx, kind.source(ctx), ctx.params.user_id, true),
    }),
  ]
}

function writeEndpoints<Name extends string, Owner>(kind: MemberOwner<Name, Owner>): Endpoint[] {
  const { scope, noun, can } = kind
  const at = `${kind.path}/members` as const
  return [
    ownedEndpoint(`POST ${at}`, {
      summary: `Add a member to a ${noun}`,
      scope,
      can: can.manage,
      params: {
        ...termsParams,
        user_id: text({ max: 10_000 })
          .optional()
          .describe('The ID of the user, or multiple IDs separated by commas'),
        username: text({ max: 255 }).optional().describe('The username, as an alternative to the ID'),
        invite_source: text({ max: 255 }).optional().describe('The source of the invitation. Ignored'),
      },
      parameterRules: [exactlyOne('user_id', 'username')],
      fails: { ...FAILURES, 405: 'An ancestor group locks its memberships' },
      returns: created(oneOf(Member, MembersAdded)),
      run: (ctx) => {
        const { user_id, username, access_level, expires_at } = ctx.params
        const changes = { access_level, expires_at }
        const ids = user_id === undefined ? undefined : idsOf(user_id)
        const managed = kind.managed(ctx)
        if (ids && user_id!.includes(',')) return as(MembersAdded, addMembers(ctx, managed, ids, changes))
        return as(Member, addMember(ctx, managed, ids ? { user_id: ids[0]! } : { username }, changes))
      },
    }),
    ownedEndpoint(`PUT ${at}/:user_id`, {
      summary: `Update a member of a ${noun}`,
      scope,
      can: can.manage,
      params: { ...userId, ...termsParams },
      fails: { 400: FAILURES[400] },
      returns: ok(Member),
      run: (ctx) => {
        const { user_id, ...input } = ctx.params
        return changeMember(ctx, kind.managed(ctx), user_id, input)
      },
    }),
    removeEndpoint(kind),
  ]
}

function removeEndpoint<Name extends string, Owner>(kind: MemberOwner<Name, Owner>): Endpoint {
  const { scope, noun } = kind
  return ownedEndpoint(`DELETE ${kind.path}/members/:user_id`, {
    summary: `Remove a member from a ${noun}`,
    scope,
    can: kind.can.leave,
    params: {
      ...userId,
      skip_subresources: bool()
        .optional()
        .describe('Keep the memberships of the user in subgroups and projects'),
      unassign_issuables: bool()
        .optional()
        .describe('Unassign the user from all issues and merge requests of the owner'),
    },
    returns: noContent,
    run: (ctx) => {
      const {
        user_id,
        skip_subresources: keepsDescendants = false,
        unassign_issuables: unassignsIssuables = false,
      } = ctx.params
      const isSelf = user_id === ctx.actor.id
      removeMember(ctx, kind.managed(ctx), user_id, {
        keepsDescendants,
        unassignsIssuables,
        check: (member) => {
          if (!isSelf && !hasAbility(ctx, scope, kind.can.manage, kind.ownerOf(ctx), true))
            throw fail('forbidden')
          ctx.http.unmodifiedSince(member.created_at)
        },
      })
    },
  })
}
