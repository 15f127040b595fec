import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import type { ColumnChanges } from '../../../lib/column-changes.ts'
import { isoDate } from '../../../lib/clock.ts'
import { invalid } from '../../../lib/fail.ts'
import { eventOf, touch } from './changes.ts'
import { TimeChanged } from './events.ts'
import { tablesOf, type Issuable } from './issuable.ts'
import { noteChange } from './text-changes.ts'
import { settingsOf } from '../../settings/index.ts'
import { humanTime } from './time.ts'

/** The times of one as they are now; seconds. */
export interface Times {
  readonly time_estimate: number
  readonly total_time_spent: number
}

/** Time that somebody worked. */
export interface SpentTime {
  /** Seconds; below zero takes back. */
  readonly seconds: number
  readonly summary?: string | null | undefined
  /** The moment it was worked; now otherwise. */
  readonly spent_at?: string | undefined
}

/** Seconds in the words that the instance wants. */
export function timeWords(ctx: Ctx, seconds: number): string {
  return humanTime(seconds, settingsOf(ctx).time_tracking_limit_to_hours)
}

/** The times of one as they are stored. */
export function timesOf(ctx: Ctx, { kind, id }: Issuable): Times {
  const { table } = tablesOf(kind)
  return ctx.db.one<Times>(`SELECT time_estimate, total_time_spent FROM ${table} WHERE id = ?`, id)!
}

/** Says how long it will take; 0 takes the estimate away. Throws 400 below zero. */
export function setEstimate(ctx: Ctx, issuable: Issuable, seconds: number | undefined): Times {
  if (seconds === undefined || seconds < 0)
    throw invalid({ time_estimate: 'must have a valid format and be greater than or equal to zero.' })
  if (timesOf(ctx, issuable).time_estimate === seconds) return timesOf(ctx, issuable)
  const body = seconds === 0 ? 'removed time estimate' : `changed time estimate to ${timeWords(ctx, seconds)}`
  return change(ctx, issuable, 'time_estimate', seconds, body)
}

/** Adds time that was worked. Throws 400 for none, and for taking back more than there is. */
export function addSpentTime(ctx: Ctx, issuable: Issuable, given: SpentTime): Times {
  const { seconds, summary = null, spent_at = ctx.now } = given
  const total = timesOf(ctx, issuable).total_time_spent + seconds
  if (seconds === 0) throw invalid({ time_spent: "can't be zero" })
  if (total < 0) throw invalid({ base: 'Time to subtract exceeds the total time spent' })
  if (spent_at > ctx.now) throw invalid({ spent_at: "can't be a future date and time." })
  const words = seconds > 0 ? `added ${timeWords(ctx, seconds)}` : `subtracted ${timeWords(ctx, -seconds)}`
  const day = isoDate(spent_at) === isoDate(ctx.now) ? '' : ` at ${isoDate(spent_at)}`
  return tx(ctx.db, () => {
    log(ctx, issuable, { seconds, summary, spent_at })
    return change(ctx, issuable, 'total_time_spent', total, `${words} of time spent${day}`)
  })
}

/** Forgets all time that was worked. */
export function resetSpentTime(ctx: Ctx, issuable: Issuable): Times {
  const times = timesOf(ctx, issuable)
  if (times.total_time_spent === 0) return times
  return tx(ctx.db, () => {
    log(ctx, issuable, { seconds: -times.total_time_spent, summary: null, spent_at: ctx.now })
    return change(ctx, issuable, 'total_time_spent', 0, 'removed time spent')
  })
}

function log(ctx: Ctx, { kind, id }: Issuable, { seconds, summary, spent_at }: Required<SpentTime>): void {
  ctx.db.exec(
    `INSERT INTO timelogs (${tablesOf(kind).key}, user_id, time_spent, spent_at, summary, created_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
    id,
    ctx.actor.id,
    seconds,
    spent_at ?? ctx.now,
    summary ?? null,
    ctx.now,
  )
}

function change(ctx: Ctx, issuable: Issuable, column: keyof Times, seconds: number, body: string): Times {
  return tx(ctx.db, () => {
    const { table } = tablesOf(issuable.kind)
    const { [column]: before } = timesOf(ctx, issuable)
    ctx.db.exec(`UPDATE ${table} SET ${column} = ? WHERE id = ?`, seconds, issuable.id)
    const changes: ColumnChanges = { [column]: [before, seconds], ...touch(ctx, issuable) }
    noteChange(ctx, issuable, 'time_tracking', body)
    const times = timesOf(ctx, issuable)
    publish(ctx, TimeChanged, { ...eventOf(ctx, issuable), ...times, changes })
    return times
  })
}
