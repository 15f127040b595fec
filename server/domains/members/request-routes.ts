import { ownedEndpoint, type Endpoint } from '../../http/endpoint.ts'
import { int } from '../../http/params.ts'
import { created, noContent, page } from '../../http/returns.ts'
import { fail } from '../../lib/fail.ts'
import { isAble } from '../../policy/ability.ts'
import { Member, AccessRequester } from './entity.ts'
import type { MemberOwner } from './routes-owner.ts'
import { approve, deny, requestAccess } from './service-requests.ts'
import * as store from './store.ts'

const userId = { user_id: int().describe('The ID of the user who requested access') }
const DEVELOPER = 30

/** The endpoints of access requests for one type of owner (spec core 1.4). */
export function requestEndpoints<Name extends string, Owner>(kind: MemberOwner<Name, Owner>): Endpoint[] {
  const { scope, noun, can } = kind
  const at = `${kind.at}/access_requests` as const
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
      fails: { 400: 'A request of the caller is pending' },
      returns: created(AccessRequester),
      run: (ctx) => requestAccess(ctx, kind.source(ctx)),
    }),
    ownedEndpoint(`PUT ${at}/:user_id/approve`, {
      summary: `Approve an access request for a ${noun}`,
      scope,
      can: can.manage,
      params: {
        ...userId,
        access_level: int()
          .optional()
          .describe('The access level of the new member. Default is 30, Developer'),
      },
      fails: { 400: 'The access level is invalid', 409: 'Member already exists' },
      returns: created(Member),
      run: (ctx) => approve(ctx, kind.managed(ctx), ctx.params.user_id, ctx.params.access_level ?? DEVELOPER),
    }),
    ownedEndpoint(`DELETE ${at}/:user_id`, {
      summary: `Deny an access request for a ${noun}`,
      scope,
      can: can.leave,
      params: userId,
      returns: noContent,
      run: (ctx) => {
        const own = ctx.params.user_id === ctx.actor.id
        if (!own && !isAble(ctx, scope, kind.can.manage, kind.ownerOf(ctx), true)) throw fail('forbidden')
        deny(ctx, kind.source(ctx), ctx.params.user_id)
      },
    }),
  ]
}
