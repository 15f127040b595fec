import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { isoTime } from '../../lib/clock.ts'
import { invalid } from '../../lib/fail.ts'
import { StatusChanged } from './events.ts'
import * as store from './store-details.ts'

const HOUR_MS = 3_600_000

/** The durations of a status in milliseconds, by the contract's values. */
const DURATIONS_MS = {
  '30_minutes': HOUR_MS / 2,
  '3_hours': 3 * HOUR_MS,
  '8_hours': 8 * HOUR_MS,
  '1_day': 24 * HOUR_MS,
  '3_days': 72 * HOUR_MS,
  '7_days': 168 * HOUR_MS,
  '30_days': 720 * HOUR_MS,
} as const

/** The values of `clear_status_after`. */
export const STATUS_DURATIONS = Object.keys(DURATIONS_MS) as [
  keyof typeof DURATIONS_MS,
  ...(keyof typeof DURATIONS_MS)[],
]

/** The parameters of a status. */
interface StatusInput {
  emoji?: string | null | undefined
  message?: string | null | undefined
  availability?: 'not_set' | 'busy' | null | undefined
  clear_status_after?: keyof typeof DURATIONS_MS | null | undefined
}

const DEFAULT_EMOJI = 'speech_balloon'
const EMOJI_NAME = /^[a-z0-9_+-]{1,100}$/i
const MAX_MESSAGE = 100

function checkStatus({ emoji, message }: StatusInput): void {
  const problems: Record<string, string> = {}
  if (emoji && !EMOJI_NAME.test(emoji)) problems['emoji'] = 'is not a valid emoji name'
  if (message && [...message].length > MAX_MESSAGE)
    problems['message'] = `is too long (maximum is ${MAX_MESSAGE} characters)`
  if (Object.keys(problems).length > 0) throw invalid(problems)
}

/** Returns the status of a user; null without one. */
export function statusOf(ctx: Ctx, userId: number): store.StatusRow | null {
  return store.statusOf(ctx.db, userId, ctx.now) ?? null
}

/**
 * Sets the status of the actor. Absent fields are cleared, or kept with `keepsAbsent`. An empty status is deleted.
 * Throws 400 for an invalid emoji name or a message of more than 100 characters.
 */
export function setStatus(ctx: Ctx, input: StatusInput, keepsAbsent: boolean): store.StatusRow | null {
  checkStatus(input)
  const user_id = ctx.actor.id!
  return tx(ctx.db, () => {
    const before = keepsAbsent ? statusOf(ctx, user_id) : null
    const pick = <Value>(value: Value | undefined, old: Value): Value => (value === undefined ? old : value)
    const emoji = pick(input.emoji, before?.emoji ?? null)
    const message = pick(input.message, before?.message ?? null)
    const availability = pick(input.availability, before?.availability ?? null)
    const isEmpty = !emoji && !message && !availability
    if (isEmpty) store.removeStatus(ctx.db, user_id)
    else {
      store.put(ctx.db, {
        user_id,
        emoji: emoji || DEFAULT_EMOJI,
        message: message || null,
        availability: availability ?? 'not_set',
        clear_at: clearAt(ctx, input, before),
      })
    }
    publish(ctx, StatusChanged, { user_id, actor_id: user_id })
    return statusOf(ctx, user_id)
  })
}

function clearAt(
  ctx: Ctx,
  { clear_status_after }: StatusInput,
  before: store.StatusRow | null,
): string | null {
  if (clear_status_after === undefined) return before?.clear_at ?? null
  return clear_status_after === null ? null : isoTime(Date.parse(ctx.now) + DURATIONS_MS[clear_status_after])
}
