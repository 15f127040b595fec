import { atLeastOne, endpoint, type Endpoint } from '../../../http/endpoint.ts'
import { day, intChoice, text } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import { isoDate } from '../../../lib/clock.ts'
import { fail } from '../../../lib/fail.ts'
import { MembersAdded } from '../entity.ts'
import { idsOf } from '../ids.ts'
import type { MemberSourceKind } from '../source-kind.ts'
import { Invitation } from './entity.ts'
import { changeInvitation, invite, withdraw } from './service.ts'
import * as store from './store.ts'

const level = () =>
  intChoice(5, 10, 20, 30, 40, 50).describe('10 guest, 20 reporter, 30 developer, 40 maintainer, 50 owner')
const end = day().nullable().optional().describe('Day on which the membership ends; null for none')
const address = { email: text({ max: 255 }).describe('Address of the invitation') }

/** Addresses with commas between them. */
function emailsOf(given: string | undefined): string[] {
  if (given === undefined) return []
  const emails = given
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
  if (emails.length === 0) throw fail('parameter', 'email is empty')
  return emails
}

/** The invitation endpoints of one kind of owner (spec core 1.4). */
export function invitationEndpoints(kind: MemberSourceKind): Endpoint[] {
  const { scope, thing, can } = kind
  const at = `${kind.at}/invitations` as const
  const common = { scope, can: can.manage }
  return [
    endpoint(`GET ${at}`, {
      ...common,
      summary: `List the open invitations to a ${thing}`,
      params: { query: text({ max: 255 }).optional().describe('The whole address') },
      returns: page(Invitation),
      run: (ctx) =>
        store.list(ctx.db, kind.place(ctx), { ...ctx.params, today: isoDate(ctx.now) }, ctx.paging),
    }),
    endpoint(`POST ${at}`, {
      ...common,
      summary: `Invite people to a ${thing} by their addresses`,
      params: {
        email: text({ max: 30_000 }).optional().describe('Address, or several with commas'),
        user_id: text({ max: 10_000 }).optional().describe('Id of a user, or several with commas'),
        access_level: level(),
        expires_at: end,
        invite_source: text({ max: 255 }).optional().describe('What made the request; kept by nobody'),
      },
      together: [atLeastOne('email', 'user_id')],
      fails: { 400: 'Too many addresses', 405: 'A group keeps its members to itself' },
      returns: created(MembersAdded),
      run: (ctx) => {
        const { email, user_id, access_level, expires_at } = ctx.params
        const who = { emails: emailsOf(email), userIds: user_id === undefined ? [] : idsOf(user_id) }
        return invite(ctx, kind.managed(ctx), who, { access_level, expires_at })
      },
    }),
    endpoint(`PUT ${at}/:email`, {
      ...common,
      summary: `Change an invitation to a ${thing}`,
      params: { ...address, access_level: level().optional(), expires_at: end },
      together: [atLeastOne('access_level', 'expires_at')],
      fails: { 400: 'Level or date are not acceptable' },
      returns: ok(Invitation),
      run: (ctx) => {
        const { email, access_level, expires_at } = ctx.params
        const given = {
          ...(access_level === undefined ? {} : { access_level }),
          ...(expires_at === undefined ? {} : { expires_at }),
        }
        return changeInvitation(ctx, kind.managed(ctx), email, given)
      },
    }),
    endpoint(`DELETE ${at}/:email`, {
      ...common,
      summary: `Withdraw an invitation to a ${thing}`,
      params: address,
      returns: noContent,
      run: (ctx) => withdraw(ctx, kind.managed(ctx), ctx.params.email),
    }),
  ]
}
