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

/** Returns the times of an issue or merge request as answers show them. */
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

const WORDS: Readonly<Record<string, number>> = {
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

/** Longest duration: ten thousand working years. */
const MAX = 10_000 * 12 * MONTH

/**
 * Parses a duration (`1mo 2w 3d 4h 5m`, `1.5h`, `-30m`) into seconds. A number alone means hours. Undefined for an
 * invalid text.
 */
export function parseDuration(text: string): number | undefined {
  const given = text.trim().toLowerCase()
  if (given.length === 0 || given.length > 100) return undefined
  const sign = given.startsWith('-') ? -1 : 1
  const body = given.replace(/^[+-]\s*/, '')
  if (/^\d+(\.\d+)?$/.test(body)) return bounded(sign * Math.round(Number(body) * HOUR))
  let [seconds, rest] = [0, body]
  while (rest !== '') {
    const part = /^(\d+(?:\.\d+)?)\s*([a-z]+)[\s,]*/.exec(rest)
    const unit = part ? WORDS[part[2]!] : undefined
    if (!part || unit === undefined) return undefined
    seconds += Number(part[1]) * unit
    rest = rest.slice(part[0].length)
  }
  return bounded(sign * Math.round(seconds))
}

function bounded(seconds: number): number | undefined {
  return Math.abs(seconds) > MAX ? undefined : seconds
}
