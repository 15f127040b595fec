import { endpoint, type Endpoint } from '../../http/endpoint.ts'
import { choice, int, text } from '../../http/params.ts'
import { created, ok, page } from '../../http/returns.ts'
import { isoDate } from '../../lib/clock.ts'
import { fail } from '../../lib/fail.ts'
import type { Scope } from '../../policy/ability.ts'
import { BillableMember } from './billable/entity.ts'
import * as billable from './billable/store.ts'
import { Member } from './entity.ts'
import type { MemberSource } from './source.ts'
import { setOverride } from './service.ts'
import { kindOf, type MemberAbilities } from './source-kind.ts'

const userId = { user_id: int().describe('Id of the user') }
const orders = Object.keys(billable.ORDERS) as (keyof typeof billable.ORDERS)[]

/** The membership endpoints that only groups have (spec core 1.4). */
export function groupMemberEndpoints<Name extends string, Owner>(
  scope: Scope<Name, Owner>,
  abilities: MemberAbilities<Owner>,
  placeOf: (owner: Owner) => MemberSource,
): Endpoint[] {
  const kind = kindOf(scope, abilities, placeOf)
  const common = { scope: kind.scope, can: kind.can.manage }
  const override = `${kind.at}/members/:user_id/override` as const
  return [
    endpoint(`POST ${override}`, {
      ...common,
      summary: 'Keep the level of a member although a directory says otherwise',
      params: userId,
      returns: created(Member),
      run: (ctx) => setOverride(ctx, kind.place(ctx), ctx.params.user_id, true),
    }),
    endpoint(`DELETE ${override}`, {
      ...common,
      summary: 'Let a directory decide on the level of a member again',
      params: userId,
      returns: ok(Member),
      run: (ctx) => setOverride(ctx, kind.place(ctx), ctx.params.user_id, false),
    }),
    endpoint(`GET ${kind.at}/billable_members`, {
      ...common,
      summary: 'List who takes a seat in a top-level group or in anything below it',
      params: {
        search: text({ max: 255 }).optional().describe('Part of the name or user name'),
        sort: choice(...orders)
          .optional()
          .describe('Order of the list (default name_asc)'),
      },
      fails: { 400: 'It is not a top-level group' },
      returns: page(BillableMember),
      run: (ctx) => {
        const source = kind.place(ctx)
        if (source.above !== '[]') throw fail('bad_request')
        const filter = { ...ctx.params, today: isoDate(ctx.now) }
        const { rows, total } = billable.list(ctx.db, source.id, filter, ctx.paging)
        return { rows: rows.map((row) => ({ id: row.id, row, email: ctx.actor.is_admin })), total }
      },
    }),
  ]
}
