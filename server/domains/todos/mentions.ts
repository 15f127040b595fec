import type { Ctx } from '../../ctx.ts'
import { isoDate } from '../../lib/clock.ts'
import { canRead } from '../../policy/ability.ts'
import { inNameOf } from '../planning/index.ts'
import { findGroup, group } from '../groups/index.ts'
import { namesIn, type NameInText } from '../markdown/index.ts'
import { projectPlace, usersOfPlace } from '../members/index.ts'
import { mayRead, type Subject } from './subject.ts'

/** People whom a text calls: those whom a line begins with, and the others. */
export interface Called {
  readonly directly: number[]
  readonly otherwise: number[]
}

/** At most so many names of one text are looked up. */
const MAX_NAMES = 100
/** At most so many people are called by one text. */
const MAX_PEOPLE = 1000

/** What is read, and by whom it was written. */
export interface CallingText {
  readonly text: string
  /** What stood there before; who was called by that is not called again. */
  readonly before?: string | null | undefined
  readonly author_id: number
  readonly internal?: boolean
}

/**
 * Whom a text about something calls, as far as they may read it: users by name, all members of the project by `@all`,
 * and members of a group that its author can see (7.2).
 */
export async function calledBy(ctx: Ctx, subject: Subject, given: CallingText): Promise<Called> {
  const names = (await namesIn(given.text)).slice(0, MAX_NAMES)
  if (names.length === 0) return { directly: [], otherwise: [] }
  const known = new Set(given.before ? people(ctx, subject, given, await namesIn(given.before)).keys() : [])
  const called = [...people(ctx, subject, given, names)]
    .filter(([id]) => !known.has(id) && mayRead(ctx, subject, id, given.internal))
    .slice(0, MAX_PEOPLE)
  const pick = (directly: boolean) => called.filter(([, first]) => first === directly).map(([id]) => id)
  return { directly: pick(true), otherwise: pick(false) }
}

/** Users behind names, each with whether a line begins with one of their names. */
function people(
  ctx: Ctx,
  subject: Subject,
  given: CallingText,
  names: readonly NameInText[],
): Map<number, boolean> {
  const found = new Map<number, boolean>()
  for (const { name, leading } of names)
    for (const id of usersBehind(ctx, subject, given, name))
      found.set(id, leading || (found.get(id) ?? false))
  return found
}

function usersBehind(ctx: Ctx, subject: Subject, given: CallingText, name: string): number[] {
  const user = ctx.db.one<{ id: number }>(
    "SELECT id FROM users WHERE username = ? COLLATE NOCASE AND state = 'active'",
    name,
  )
  if (user) return [user.id]
  if (name.toLowerCase() === 'all') return membersOfProject(ctx, subject)
  const named = findGroup(ctx, name)
  const author = inNameOf(ctx, given.author_id)
  return named && author && canRead(author, group, named) ? membersOfGroup(ctx, named.id) : []
}

function membersOfGroup(ctx: Ctx, groupId: number): number[] {
  const rows = ctx.db.many<{ user_id: number }>(
    'SELECT user_id FROM members WHERE namespace_id = ? AND (expires_at IS NULL OR expires_at > ?)',
    groupId,
    isoDate(ctx.now),
  )
  return rows.map((row) => row.user_id)
}

function membersOfProject(ctx: Ctx, subject: Subject): number[] {
  const filter = { today: isoDate(ctx.now) }
  const window = { limit: MAX_PEOPLE, offset: 0 }
  return usersOfPlace(ctx.db, projectPlace(subject.project), filter, window).rows.map((user) => user.id)
}
