import { Cron } from 'croner'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** The weekday of 1 January 1970. */
const THURSDAY = 4

/**
 * The next run of a five-field cron expression after `from` (ms since the epoch) in a time zone; undefined when there
 * is none. Throws for an invalid expression or zone.
 */
export function nextRun(pattern: string, from: number, timezone = 'UTC'): number | undefined {
  const simple = timezone === 'UTC' ? parseSimpleRule(pattern) : undefined
  if (simple) return nextOf(simple, from)
  // For a time zone croner uses `Intl`, which takes 30 ms to load. The instance's own crons are in UTC.
  const zone = timezone === 'UTC' ? { utcOffset: 0 } : { timezone }
  const cron = new Cron(pattern, { ...zone, paused: true })
  return cron.nextRun(new Date(from))?.getTime()
}

/** The fields of a pattern; undefined matches every value. `every` is the step of the minutes. */
interface SimpleRule {
  readonly minute: number | undefined
  readonly every: number
  readonly hour: number | undefined
  readonly weekday: number | undefined
}

/**
 * Parses the patterns of the instance's own recurring work: a minute or every few minutes, an hour, a day of the week.
 * Advancing the clock computes thousands of runs, and the library takes a hundred times as long.
 */
function parseSimpleRule(pattern: string): SimpleRule | undefined {
  const match = /^(?:(\d{1,2})|\*(?:\/(\d{1,2}))?) (\*|\d{1,2}) \* \* (\*|[0-6])$/.exec(pattern)
  if (!match) return undefined
  const [minute, step, hour, weekday] = [match[1], match[2], match[3], match[4]].map((part) =>
    part === undefined || part === '*' ? undefined : Number(part),
  )
  const every = step ?? 1
  if ((minute ?? 0) > 59 || (hour ?? 0) > 23 || every < 1 || every > 59) return undefined
  return { minute, every, hour, weekday }
}

function nextOf({ minute, every, hour, weekday }: SimpleRule, from: number): number {
  let at = (Math.floor(from / MINUTE_MS) + 1) * MINUTE_MS
  for (;;) {
    const [days, hours, minutes] = [DAY_MS, HOUR_MS, MINUTE_MS].map((unit) => Math.floor(at / unit))
    if (weekday !== undefined && (days! + THURSDAY) % 7 !== weekday) at = (days! + 1) * DAY_MS
    else if (hour !== undefined && hours! % 24 !== hour) at = (hours! + 1) * HOUR_MS
    else if (minute === undefined ? (minutes! % 60) % every !== 0 : minutes! % 60 !== minute) at += MINUTE_MS
    else return at
  }
}
