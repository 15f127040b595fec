import type { Ctx } from '../../ctx.ts'
import { isoDate } from '../../lib/clock.ts'
import { fail, invalid } from '../../lib/fail.ts'
import { MEMBER_LEVELS, MINIMAL } from '../../policy/levels.ts'
import type { MemberSource } from './types.ts'
import * as store from './store.ts'

/** Names of access levels in error messages. */
const LEVEL_NAMES: Readonly<Record<number, string>> = {
  5: 'Minimal Access',
  10: 'Guest',
  20: 'Reporter',
  30: 'Developer',
  40: 'Maintainer',
  50: 'Owner',
}

/** A source of members with the highest access level that the caller may grant. */
export interface ManagedSource {
  readonly source: MemberSource
  /** The caller's role; `Infinity` for administrators. */
  readonly level: number
}

/** The access level and expiry of a membership. A null expiry means none, undefined keeps the current one. */
export interface MembershipTerms {
  access_level: number
  expires_at?: string | null | undefined
}

/** The terms of a new membership. By default the actor is its creator. */
export interface NewMembershipTerms extends MembershipTerms {
  created_by_id?: number | null
}

/** Throws 400 for an unknown level, 403 for one above the caller's own. */
export function checkLevel({ source, level }: ManagedSource, requestedLevel: number): void {
  const levels: readonly number[] =
    source.title === 'group' ? MEMBER_LEVELS : MEMBER_LEVELS.filter((allowed) => allowed !== MINIMAL)
  if (!levels.includes(requestedLevel)) throw invalid({ access_level: 'is not included in the list' })
  if (requestedLevel > level) throw fail('forbidden')
}

/** Throws 400 for an expiry today or in the past, because a membership ends at the start of its expiry date. */
export function checkExpiry(ctx: Pick<Ctx, 'now'>, expiresAt: string | null | undefined): void {
  if (expiresAt && expiresAt <= isoDate(ctx.now))
    throw invalid({ expires_at: 'cannot be a date in the past' })
}

/**
 * Throws 400 for an invalid level or expiry and for a level below an inherited one, 403 for a level above the
 * caller's own.
 */
export function checkTerms(ctx: Ctx, managed: ManagedSource, userId: number, terms: MembershipTerms): void {
  checkLevel(managed, terms.access_level)
  checkExpiry(ctx, terms.expires_at)
  const inherited = store.inherited(ctx.db, managed.source, userId, isoDate(ctx.now))
  if (inherited && inherited.level > terms.access_level) {
    const sentence = `should be greater than or equal to ${LEVEL_NAMES[inherited.level]} inherited membership from group ${inherited.group}`
    throw invalid({ access_level: sentence })
  }
}

/** Throws 405 if an ancestor group locks the memberships of its projects (spec core 1.4). */
export function checkLock(ctx: Ctx, { source }: ManagedSource): void {
  if (source.title === 'project' && store.isLocked(ctx.db, source)) throw fail('not_allowed')
}

/** Returns the field of a source for events: `project_id` or `group_id`. */
export function sourceIds(source: Pick<MemberSource, 'column' | 'id'>) {
  return source.column === 'project_id' ? { project_id: source.id } : { group_id: source.id }
}

/** Returns the message of an expected error, for lists of errors. Rethrows other errors. */
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

/** Parses the parameter `user_id`: one id, or several separated by commas. Throws 400 for other values. */
export function idsOf(text: string): number[] {
  if (!/^\s*\d{1,15}(\s*,\s*\d{1,15})*\s*,?\s*$/.test(text)) throw fail('parameter', 'user_id is invalid')
  return text
    .split(',')
    .filter((part) => part.trim() !== '')
    .map(Number)
}
