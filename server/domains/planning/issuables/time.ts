import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { isoDate } from '../../../lib/clock.ts'
import type { ColumnChanges } from '../../../lib/column-changes.ts'
import { invalid } from '../../../lib/fail.ts'
import { settingsOf } from '../../settings/index.ts'
import { TimeChanged } from '../events.ts'
import { eventFields, touch } from './changes.ts'
import { tablesOf, type Issuable } from './issuable.ts'
import { timesOf, log, type Times, type SpentTime } from './store.ts'
import { noteChange } from './text-changes.ts'

/** Estimated and spent time in answers: seconds, and text for values that are not zero (spec core 5.1). */
export interface TimeStats {
  readonly time_estimate: number
  readonly total_time_spent: number
  readonly human_time_estimate: string | null
  readonly human_total_time_spent: string | null
}

const MINUTE = 60
const HOUR = 60 * MINUTE
/** Working time: a day has eight hours, a week five days, a month four weeks. */
const DAY = 8 * HOUR
const WEEK = 5 * DAY
const MONTH = 4 * WEEK

const UNITS = [
  ['mo', MONTH],
  ['w', WEEK],
  ['d', DAY],
  ['h', HOUR],
  ['m', MINUTE],
  ['s', 1],
] as const

const HOURS_AND_LESS = UNITS.filter(([, size]) => size <= HOUR)

/** Formats seconds as `1w 2d 3h`, or `51h` with the setting `time_tracking_limit_to_hours`. Empty for zero. */
export function humanTime(seconds: number, inHours = false): string {
  let rest = Math.abs(seconds)
  const words: string[] = []
  for (const [unit, size] of inHours ? HOURS_AND_LESS : UNITS) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0) words.push(`${count}${unit}`)
  }
  return (seconds < 0 ? '-' : '') + words.join(' ')
}

/** Returns the times of an issue or merge request, for answers. */
export function timeStats(
  row: { readonly time_estimate: number; readonly total_time_spent: number },
  inHours = false,
): TimeStats {
  const { time_estimate, total_time_spent } = row
  return {
    time_estimate,
    total_time_spent,
    human_time_estimate: time_estimate === 0 ? null : humanTime(time_estimate, inHours),
    human_total_time_spent: total_time_spent === 0 ? null : humanTime(total_time_spent, inHours),
  }
}

const UNIT_SECONDS: Readonly<Record<string, number>> = {
  mo: MONTH,
  mos: MONTH,
  month: MONTH,
  months: MONTH,
  w: WEEK,
  week: WEEK,
  weeks: WEEK,
  d: DAY,
  day: DAY,
  days: DAY,
  h: HOUR,
  hr: HOUR,
  hrs: HOUR,
  hour: HOUR,
  hours: HOUR,
  m: MINUTE,
  min: MINUTE,
  mins: MINUTE,
  minute: MINUTE,
  minutes: MINUTE,
  s: 1,
  sec: 1,
  secs: 1,
  second: 1,
  seconds: 1,
}

/** The maximum duration: ten thousand working years. */
const MAX_SECONDS = 10_000 * 12 * MONTH

/**
 * Parses a duration (`1mo 2w 3d 4h 5m`, `1.5h`, `-30m`) into seconds. A number alone means hours. Undefined for an
 * invalid text.
 */
export function parseDuration(text: string): number | undefined {
  const duration = text.trim().toLowerCase()
  if (duration.length === 0 || duration.length > 100) return undefined
  const sign = duration.startsWith('-') ? -1 : 1
  const body = duration.replace(/^[+-]\s*/, '')
  if (/^\d+(\.\d+)?$/.test(body)) return bounded(sign * Math.round(Number(body) * HOUR))
  let [seconds, rest] = [0, body]
  while (rest !== '') {
    const match = /^(\d+(?:\.\d+)?)\s*([a-z]+)[\s,]*/.exec(rest)
    const unit = match ? UNIT_SECONDS[match[2]!] : undefined
    if (!match || unit === undefined) return undefined
    seconds += Number(match[1]) * unit
    rest = rest.slice(match[0].length)
  }
  return bounded(sign * Math.round(seconds))
}

function bounded(seconds: number): number | undefined {
  return Math.abs(seconds) > MAX_SECONDS ? undefined : seconds
}

/** Formats seconds, in hours if the settings of the instance require it. */
export function timeWords(ctx: Ctx, seconds: number): string {
  return humanTime(seconds, settingsOf(ctx).time_tracking_limit_to_hours)
}

/** Sets the time estimate; 0 removes it. Throws 400 for a negative one. */
export function setEstimate(ctx: Ctx, issuable: Issuable, seconds: number | undefined): Times {
  if (seconds === undefined || seconds < 0)
    throw invalid({ time_estimate: 'must have a valid format and be greater than or equal to zero.' })
  if (timesOf(ctx, issuable).time_estimate === seconds) return timesOf(ctx, issuable)
  const body = seconds === 0 ? 'removed time estimate' : `changed time estimate to ${timeWords(ctx, seconds)}`
  return setTime(ctx, issuable, 'time_estimate', seconds, body)
}

/** Adds spent time. Throws 400 for zero, and for subtracting more than was spent. */
export function addSpentTime(ctx: Ctx, issuable: Issuable, input: SpentTime): Times {
  const { seconds, summary = null, spent_at = ctx.now } = input
  const total = timesOf(ctx, issuable).total_time_spent + seconds
  if (seconds === 0) throw invalid({ time_spent: "can't be zero" })
  if (total < 0) throw invalid({ base: 'Time to subtract exceeds the total time spent' })
  if (spent_at > ctx.now) throw invalid({ spent_at: "can't be a future date and time." })
  const words = seconds > 0 ? `added ${timeWords(ctx, seconds)}` : `subtracted ${timeWords(ctx, -seconds)}`
  const day = isoDate(spent_at) === isoDate(ctx.now) ? '' : ` at ${isoDate(spent_at)}`
  return tx(ctx.db, () => {
    log(ctx, issuable, { seconds, summary, spent_at })
    return setTime(ctx, issuable, 'total_time_spent', total, `${words} of time spent${day}`)
  })
}

/** Removes all spent time. */
export function resetSpentTime(ctx: Ctx, issuable: Issuable): Times {
  const times = timesOf(ctx, issuable)
  if (times.total_time_spent === 0) return times
  return tx(ctx.db, () => {
    log(ctx, issuable, { seconds: -times.total_time_spent, summary: null, spent_at: ctx.now })
    return setTime(ctx, issuable, 'total_time_spent', 0, 'removed time spent')
  })
}

function setTime(ctx: Ctx, issuable: Issuable, column: keyof Times, seconds: number, body: string): Times {
  return tx(ctx.db, () => {
    const { table } = tablesOf(issuable.kind)
    const { [column]: before } = timesOf(ctx, issuable)
    ctx.db.exec(`UPDATE ${table} SET ${column} = ? WHERE id = ?`, seconds, issuable.id)
    const changes: ColumnChanges = { [column]: [before, seconds], ...touch(ctx, issuable) }
    noteChange(ctx, issuable, 'time_tracking', body)
    const times = timesOf(ctx, issuable)
    publish(ctx, TimeChanged, { ...eventFields(ctx, issuable), ...times, changes })
    return times
  })
}
