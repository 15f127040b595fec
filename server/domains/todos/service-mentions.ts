import type { Ctx } from '../../ctx.ts'
import { isoDate } from '../../lib/clock.ts'
import { canRead } from '../../policy/ability.ts'
import { inNameOf } from '../planning/index.ts'
import { findGroup, group } from '../groups/index.ts'
import { namesIn, type NameInText } from '../markdown/index.ts'
import { projectSource, usersOfSource } from '../members/index.ts'
import * as subjects from './store-subjects.ts'
import { mayRead, type Subject } from './service-items.ts'

/** The users whom a text mentions: `directly` at the beginning of a line, `otherwise` anywhere else. */
export interface Mentioned {
  readonly directly: number[]
  readonly otherwise: number[]
}

/** Most names of one text that are looked up. */
const MAX_NAMES = 100
/** Most users who get an item from one text. */
const MAX_PEOPLE = 1000

/** A text with its author. */
export interface MentioningText {
  readonly text: string
  /** The earlier text. Users whom it already mentioned are left out. */
  readonly before?: string | null | undefined
  readonly author_id: number
  readonly internal?: boolean
}

/**
 * Returns the users whom a text mentions and who may read its subject: users by name, all members of the project by
 * `@all`, and members of a group that the author can see (7.2).
 */
export async function mentionedBy(ctx: Ctx, subject: Subject, given: MentioningText): Promise<Mentioned> {
  const names = (await namesIn(given.text)).slice(0, MAX_NAMES)
  if (names.length === 0) return { directly: [], otherwise: [] }
  const known = new Set(given.before ? people(ctx, subject, given, await namesIn(given.before)).keys() : [])
  const called = [...people(ctx, subject, given, names)]
    .filter(([id]) => !known.has(id) && mayRead(ctx, subject, id, given.internal))
    .slice(0, MAX_PEOPLE)
  const pick = (directly: boolean) => called.filter(([, first]) => first === directly).map(([id]) => id)
  return { directly: pick(true), otherwise: pick(false) }
}

/** Returns the users for names. True if a line begins with one of their names. */
function people(
  ctx: Ctx,
  subject: Subject,
  given: MentioningText,
  names: readonly NameInText[],
): Map<number, boolean> {
  const found = new Map<number, boolean>()
  for (const { name, leading } of names)
    for (const id of usersBehind(ctx, subject, given, name))
      found.set(id, leading || (found.get(id) ?? false))
  return found
}

function usersBehind(ctx: Ctx, subject: Subject, given: MentioningText, name: string): number[] {
  const userId = subjects.activeUserNamed(ctx.db, name)
  if (userId !== undefined) return [userId]
  if (name.toLowerCase() === 'all') return membersOfProject(ctx, subject)
  const named = findGroup(ctx, name)
  const author = inNameOf(ctx, given.author_id)
  return named && author && canRead(author, group, named)
    ? subjects.groupMemberIds(ctx.db, named.id, isoDate(ctx.now))
    : []
}

function membersOfProject(ctx: Ctx, subject: Subject): number[] {
  const filter = { today: isoDate(ctx.now) }
  const window = { limit: MAX_PEOPLE, offset: 0 }
  return usersOfSource(ctx.db, projectSource(subject.project), filter, window).rows.map((user) => user.id)
}
