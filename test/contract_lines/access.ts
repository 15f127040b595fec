import { expect } from 'vitest'

import type { Answer, Client, World } from '../support/world.ts'
import type { CheckArgs } from './section.ts'

// Many statements say who may make a request. They are proven from both sides: the request is made by every kind of
// caller, up to the one that the statement refuses last and from the one that it admits first.

/** The kinds of callers, each with more rights than the one before. A stranger is signed in, but no member. */
const CALLERS = [
  'anonymous',
  'stranger',
  'guest',
  'reporter',
  'developer',
  'maintainer',
  'owner',
  'administrator',
] as const
export type Caller = (typeof CALLERS)[number]

const LEVELS: readonly (readonly [Caller, number])[] = [
  ['guest', 10],
  ['reporter', 20],
  ['developer', 30],
  ['maintainer', 40],
  ['owner', 50],
]

/** A status, and the body of the answer or its message. */
type Refusal = readonly [status: number, body: string | object]
type Refusals = Readonly<Partial<Record<Caller | 'member', Refusal>>>

export const UNAUTHORIZED: Refusal = [401, '401 Unauthorized']
export const FORBIDDEN: Refusal = [403, '403 Forbidden']

/** For reads that are open to everybody in a public project or group: in a private one nobody sees the owner. */
export const HIDDEN_PROJECT: Refusals = { anonymous: [404, '404 Project Not Found'] }
export const HIDDEN_GROUP: Refusals = { anonymous: [404, '404 Group Not Found'] }

/** Clients of all kinds of callers, and how requests are refused to those who do not see the owner. */
export interface Team {
  readonly clients: Readonly<Partial<Record<Caller, Client>>>
  readonly stranger: Refusal
}

/** Makes users of every role on a project or group. */
export async function teamOn(
  w: World,
  kind: 'projects' | 'groups',
  owner: { readonly id: number; readonly visibility: string },
): Promise<Team> {
  const clients: Partial<Record<Caller, Client>> = { ...visitors(w).clients }
  for (const [caller, level] of LEVELS) {
    const user = w.make.user()
    await w.make.member(kind, owner.id, user, level)
    clients[caller] = w.as(user)
  }
  const title = kind === 'projects' ? 'Project' : 'Group'
  return { clients, stranger: owner.visibility === 'private' ? [404, `404 ${title} Not Found`] : FORBIDDEN }
}

/** The callers of requests without an owner: nobody, a user and an administrator. */
export function visitors(w: World): Team {
  return {
    clients: {
      anonymous: w.as(null),
      stranger: w.as(w.make.user()),
      administrator: w.as(w.make.user({ admin: true })),
    },
    stranger: FORBIDDEN,
  }
}

/** The team of a group, for the private projects in it. */
export const teamInside = (team: Team): Team => ({ ...team, stranger: [404, '404 Project Not Found'] })

/** Makes one request for a caller. `caller` is unique, so that it can name what the request creates. */
type Send = (client: Client, args: CheckArgs, caller: Caller) => Promise<Answer>

/** A proof that a request is open to one kind of caller and to all above, but to nobody below. */
export interface Access {
  readonly says: string
  readonly holds: (args: CheckArgs) => Promise<void>
}

/**
 * `send` is open to `least` and to all callers above, and refused to all below. The section prepares the callers as
 * `team`. `refusals` are answers other than 401 without a token, 404 for a private owner and 403 for members.
 */
export function from(least: Caller, send: Send, refusals: Refusals = {}): Access {
  const first = CALLERS.indexOf(least)
  return {
    says: sentence(least, refusals),
    async holds(args) {
      const team = args['team'] as Team
      const seen: Record<string, string> = {}
      const expected: Record<string, string> = {}
      for (const [index, caller] of CALLERS.entries()) {
        const client = team.clients[caller]
        if (!client) continue
        const { status, text } = await send(client, args, caller)
        seen[caller] = status < 400 ? 'accepted' : `${status} ${text}`
        expected[caller] = index >= first ? 'accepted' : textOf(refusalOf(caller, team, refusals))
      }
      expect(seen).toEqual(expected)
    },
  }
}

/**
 * An answer shows `what` to `least` and to all callers above, and not to callers below, who may be refused altogether.
 * `has` finds it in the body; without `has` it is the name of a field.
 */
export function shown(
  least: Caller,
  what: string,
  send: Send,
  has: (body: Answer['body'], args: CheckArgs, caller: Caller) => boolean = (body) => what in body,
): Access {
  const first = CALLERS.indexOf(least)
  return {
    says: `${what}: for ${least === 'anonymous' ? 'everybody' : `${least} and above`}, not below`,
    async holds(args) {
      const { clients } = args['team'] as Team
      const seen: string[] = []
      for (const caller of CALLERS) {
        const client = clients[caller]
        if (!client) continue
        const { status, body } = await send(client, args, caller)
        if (status < 400 && has(body, args, caller)) seen.push(caller)
      }
      expect(seen).toEqual(CALLERS.filter((caller, index) => index >= first && clients[caller]))
    },
  }
}

/** Several requests with the same rule: the table of a heading. */
export function eachFrom(
  least: Caller,
  requests: Readonly<Record<string, Send>>,
  refusals?: Refusals,
): Access {
  const rules = Object.entries(requests).map(([name, send]) => ({ name, rule: from(least, send, refusals) }))
  return {
    says: `${rules.map(({ name }) => name).join(', ')}: ${sentence(least, refusals ?? {})}`,
    async holds(args) {
      for (const { name, rule } of rules)
        await rule.holds(args).catch((error: unknown) => {
          throw new Error(name, { cause: error })
        })
    },
  }
}

function refusalOf(caller: Caller, team: Team, refusals: Refusals): Refusal {
  const own = refusals[caller]
  if (own) return own
  if (caller === 'anonymous') return UNAUTHORIZED
  return caller === 'stranger' ? team.stranger : (refusals.member ?? FORBIDDEN)
}

const textOf = ([status, body]: Refusal) =>
  `${status} ${JSON.stringify(typeof body === 'string' ? { message: body } : body)}`

/** Says the rule for `docs/contract.md`, with the answer to the highest caller below it. */
function sentence(least: Caller, refusals: Refusals): string {
  if (least === 'anonymous') return 'by anybody → accepted'
  const anonymous = `without a token → ${(refusals.anonymous ?? UNAUTHORIZED)[0]}`
  if (least === 'stranger') return `by any user → accepted, ${anonymous}`
  if (least === 'administrator')
    return `by an administrator → accepted, by a user → ${(refusals.stranger ?? FORBIDDEN)[0]}, ${anonymous}`
  const below = CALLERS[CALLERS.indexOf(least) - 1]!
  if (below === 'stranger') return `by a guest or higher → accepted, by a stranger → 404, ${anonymous}`
  const article = (caller: Caller) => (caller === 'owner' ? `an ${caller}` : `a ${caller}`)
  const refused = (refusals[below] ?? refusals.member ?? FORBIDDEN)[0]
  return `by ${article(least)} or higher → accepted, by ${article(below)} → ${refused}, ${anonymous}`
}

/** A rule about other owners than that of the section: those that it prepares under `name`. */
export function within(name: string, rule: Access): Access {
  return { says: rule.says, holds: (args) => rule.holds({ ...args, ...args[name] }) }
}
