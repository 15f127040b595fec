import { endpoint, type Endpoint } from '../../../http/endpoint.ts'
import { int } from '../../../http/params.ts'
import { created, noContent, page } from '../../../http/returns.ts'
import { fail } from '../../../lib/fail.ts'
import { isAble } from '../../../policy/ability.ts'
import { Member } from '../entity.ts'
import type { MemberSourceKind } from '../source-kind.ts'
import { AccessRequester } from './entity.ts'
import { approve, deny, requestAccess } from './service.ts'
import * as store from './store.ts'

const userId = { user_id: int().describe('Id of the user who asked') }
const DEVELOPER = 30

/** The endpoints about requests for access of one kind of owner (spec core 1.4). */
export function requestEndpoints(kind: MemberSourceKind): Endpoint[] {
  const { scope, thing, can, abilities } = kind
  const at = `${kind.at}/access_requests` as const
  return [
    endpoint(`GET ${at}`, {
      summary: `List who asks for access to a ${thing}`,
      scope,
      can: can.manage,
      pure: true,
      returns: page(AccessRequester),
      run: (ctx) => store.list(ctx.db, kind.place(ctx), ctx.paging),
    }),
    endpoint(`POST ${at}`, {
      summary: `Ask for access to a ${thing}`,
      scope,
      can: can.leave,
      fails: { 400: 'You have asked already' },
      returns: created(AccessRequester),
      run: (ctx) => requestAccess(ctx, kind.place(ctx)),
    }),
    endpoint(`PUT ${at}/:user_id/approve`, {
      summary: `Make who asked a member of a ${thing}`,
      scope,
      can: can.manage,
      params: { ...userId, access_level: int().optional().describe('Their level (default 30, developer)') },
      fails: { 400: 'The level is not acceptable', 409: 'Member already exists' },
      returns: created(Member),
      run: (ctx) => approve(ctx, kind.managed(ctx), ctx.params.user_id, ctx.params.access_level ?? DEVELOPER),
    }),
    endpoint(`DELETE ${at}/:user_id`, {
      summary: `Turn down a request for access to a ${thing}, or take the own one back`,
      scope,
      can: can.leave,
      params: userId,
      returns: noContent,
      run: (ctx) => {
        const own = ctx.params.user_id === ctx.actor.id
        if (!own && !isAble(ctx, scope, abilities.manage, kind.ownerOf(ctx), true)) throw fail('forbidden')
        deny(ctx, kind.place(ctx), ctx.params.user_id)
      },
    }),
  ]
}
