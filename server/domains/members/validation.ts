import type { Ctx } from '../../ctx.ts'
import { isoDate } from '../../lib/clock.ts'
import { fail, invalid } from '../../lib/fail.ts'
import { MEMBER_LEVELS, MINIMAL } from '../../policy/levels.ts'
import type { MemberSource } from './types.ts'
import * as store from './store.ts'

/** Names of levels as they stand in sentences. */
const LEVEL_NAMES: Readonly<Record<number, string>> = {
  5: 'Minimal Access',
  10: 'Guest',
  20: 'Reporter',
  30: 'Developer',
  40: 'Maintainer',
  50: 'Owner',
}

/** A source of members with the highest access level that the caller may give. */
export interface Managed {
  readonly source: MemberSource
  /** The caller's own level; `Infinity` for administrators. */
  readonly level: number
}

/** The level and end of a membership as given. `expires_at` null means no end; absent leaves it. */
export interface Terms {
  access_level: number
  expires_at?: string | null | undefined
}

/** Terms of a new membership; who is behind it is the actor, unless it is said. */
export interface NewTerms extends Terms {
  created_by_id?: number | null
}

/** Throws 400 for a level that the source does not have, 403 for one above the caller's own. */
export function checkLevel({ source, level }: Managed, given: number): void {
  const levels: readonly number[] =
    source.title === 'group' ? MEMBER_LEVELS : MEMBER_LEVELS.filter((one) => one !== MINIMAL)
  if (!levels.includes(given)) throw invalid({ access_level: 'is not included in the list' })
  if (given > level) throw fail('forbidden')
}

/** Throws 400 for a day that has come already; a membership ends when its day begins. */
export function checkEnd(ctx: Pick<Ctx, 'now'>, expiresAt: string | null | undefined): void {
  if (expiresAt && expiresAt <= isoDate(ctx.now))
    throw invalid({ expires_at: 'cannot be a date in the past' })
}

/** Throws for terms that cannot be a user's: as above, or 400 for less than what they inherit. */
export function checkTerms(ctx: Ctx, managed: Managed, userId: number, terms: Terms): void {
  checkLevel(managed, terms.access_level)
  checkEnd(ctx, terms.expires_at)
  const above = store.inherited(ctx.db, managed.source, userId, isoDate(ctx.now))
  if (above && above.level > terms.access_level) {
    const sentence = `should be greater than or equal to ${LEVEL_NAMES[above.level]} inherited membership from group ${above.group}`
    throw invalid({ access_level: sentence })
  }
}

/** Throws 405 when a group above the project keeps its members to itself (spec core 1.4). */
export function checkLock(ctx: Ctx, { source }: Managed): void {
  if (source.title === 'project' && store.isLocked(ctx.db, source)) throw fail('not_allowed')
}

/** The id of the source in events. */
export function sourceIds(source: Pick<MemberSource, 'column' | 'id'>) {
  return source.column === 'project_id' ? { project_id: source.id } : { group_id: source.id }
}

/** The sentence of a refusal, for lists of what went wrong; anything unexpected is thrown on. */
export function sentenceOf(error: unknown): string {
  const detail = (error as { detail?: unknown }).detail
  if (typeof detail === 'string') return detail
  if (detail === undefined) {
    if ((error as { kind?: unknown }).kind === 'forbidden') return '403 Forbidden'
    throw error
  }
  const fields = Object.entries(detail as Record<string, readonly string[]>)
  const sentences = fields.map(([field, texts]) => `${field.replaceAll('_', ' ')} ${texts.join(', ')}`)
  const text = sentences.join('; ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** The id list of `user_id`; a single id counts as one. Throws 400 for anything else. */
export function idsOf(given: string): number[] {
  if (!/^\s*\d{1,15}(\s*,\s*\d{1,15})*\s*,?\s*$/.test(given)) throw fail('parameter', 'user_id is invalid')
  return given
    .split(',')
    .filter((part) => part.trim() !== '')
    .map(Number)
}
