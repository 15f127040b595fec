import { atLeastOne, ownedEndpoint, type Endpoint } from '../../http/endpoint.ts'
import { day, intChoice, text } from '../../http/params.ts'
import { created, noContent, ok, page } from '../../http/returns.ts'
import { isoDate } from '../../lib/clock.ts'
import { fail } from '../../lib/fail.ts'
import { MembersAdded, Invitation } from './entity.ts'
import { idsOf } from './validation.ts'
import type { MemberOwner } from './routes-owner.ts'
import { changeInvitation, invite, withdraw } from './service-invitations.ts'
import * as store from './store-invitations.ts'

const level = () =>
  intChoice(5, 10, 20, 30, 40, 50).describe(
    'The access level: 10 Guest, 20 Reporter, 30 Developer, 40 Maintainer, 50 Owner',
  )
const expiresAtParam = day()
  .nullable()
  .optional()
  .describe('The date on which the membership expires. Null removes the date')
const emailParam = { email: text({ max: 255 }).describe('The email address of the invitation') }

/** Parses a list of email addresses, which are separated by commas. Throws 400 for an empty list. */
function emailsOf(input: string | undefined): string[] {
  if (input === undefined) return []
  const emails = input
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
  if (emails.length === 0) throw fail('parameter', 'email is empty')
  return emails
}

/** Returns the invitation endpoints of one kind of owner (spec core 1.4). */
export function invitationEndpoints<Name extends string, Owner>(kind: MemberOwner<Name, Owner>): Endpoint[] {
  const { scope, noun, can } = kind
  const at = `${kind.path}/invitations` as const
  const common = { scope, can: can.manage }
  return [
    ownedEndpoint(`GET ${at}`, {
      ...common,
      summary: `List pending invitations of a ${noun}`,
      params: {
        query: text({ max: 255 }).optional().describe('Limit to the invitation of this email address'),
      },
      returns: page(Invitation),
      run: (ctx) =>
        store.list(ctx.db, kind.source(ctx), { ...ctx.params, today: isoDate(ctx.now) }, ctx.paging),
    }),
    ownedEndpoint(`POST ${at}`, {
      ...common,
      summary: `Add members to a ${noun} by invitation`,
      params: {
        email: text({ max: 30_000 })
          .optional()
          .describe('The email address, or multiple addresses separated by commas'),
        user_id: text({ max: 10_000 })
          .optional()
          .describe('The ID of the user, or multiple IDs separated by commas'),
        access_level: level(),
        expires_at: expiresAtParam,
        invite_source: text({ max: 255 }).optional().describe('The source of the invitation. Ignored'),
      },
      parameterRules: [atLeastOne('email', 'user_id')],
      fails: { 400: 'Too many email addresses or users', 405: 'An ancestor group locks its memberships' },
      returns: created(MembersAdded),
      run: (ctx) => {
        const { email, user_id, access_level, expires_at } = ctx.params
        const invitees = { emails: emailsOf(email), userIds: user_id === undefined ? [] : idsOf(user_id) }
        return invite(ctx, kind.managed(ctx), invitees, { access_level, expires_at })
      },
    }),
    ownedEndpoint(`PUT ${at}/:email`, {
      ...common,
      summary: `Update an invitation to a ${noun}`,
      params: { ...emailParam, access_level: level().optional(), expires_at: expiresAtParam },
      parameterRules: [atLeastOne('access_level', 'expires_at')],
      fails: { 400: 'The access level or the date is invalid' },
      returns: ok(Invitation),
      run: (ctx) => {
        const { email, access_level, expires_at } = ctx.params
        const changes = {
          ...(access_level === undefined ? {} : { access_level }),
          ...(expires_at === undefined ? {} : { expires_at }),
        }
        return changeInvitation(ctx, kind.managed(ctx), email, changes)
      },
    }),
    ownedEndpoint(`DELETE ${at}/:email`, {
      ...common,
      summary: `Delete an invitation to a ${noun}`,
      params: emailParam,
      returns: noContent,
      run: (ctx) => withdraw(ctx, kind.managed(ctx), ctx.params.email),
    }),
  ]
}
