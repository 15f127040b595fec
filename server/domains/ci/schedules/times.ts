import { nextRun } from '../../../lib/cron.ts'
import { isoTime } from '../../../lib/clock.ts'
import { ZONE_NAMES } from './zone-names.ts'

const MAX_CRON = 255
const NICKNAME = /^@(?:yearly|annually|monthly|weekly|daily|midnight|hourly)$/
/** Without `?`, which would mean the moment of the start. */
const FIELD = /^[\dA-Za-z*,/#-]+$/
/** Largest values of minute, hour, day, month and weekday. */
const LARGEST = [59, 23, 31, 12, 6]

/** When a schedule runs. */
export interface Rhythm {
  readonly cron: string
  readonly cron_timezone: string
}

/** Problems of a rhythm by field; empty for a valid one. */
export function rhythmProblems({ cron, cron_timezone }: Rhythm): Record<string, string[]> {
  const zone = zoneOf(cron_timezone)
  return {
    ...(isCron(cron) ? {} : { cron: ['syntax is invalid'] }),
    ...(zone === undefined ? { cron_timezone: ['syntax is invalid'] } : {}),
  }
}

/** The next moment of a rhythm after `now`, ISO 8601; null if there is none or the rhythm is invalid. */
export function nextMoment({ cron, cron_timezone }: Rhythm, now: string): string | null {
  const zone = zoneOf(cron_timezone)
  const pattern = patternOf(cron)
  if (zone === undefined || pattern === undefined) return null
  const next = nextRun(pattern, Date.parse(now), zone)
  return next === undefined ? null : isoTime(next)
}

/** True for an expression with at least one moment: 31 February has none. */
function isCron(cron: string): boolean {
  const pattern = patternOf(cron)
  if (pattern === undefined) return false
  try {
    return nextRun(pattern, 0) !== undefined
  } catch {
    return false
  }
}

/** The expression for the library: five fields or a nickname; `5/10` becomes `5-59/10`, as other cron parsers read it. */
function patternOf(cron: string): string | undefined {
  const text = cron.trim()
  if (text.length > MAX_CRON) return undefined
  if (NICKNAME.test(text)) return text
  const fields = text.split(/\s+/)
  if (fields.length !== LARGEST.length || !fields.every((field) => FIELD.test(field))) return undefined
  return fields
    .map((field, index) => field.replaceAll(/(^|,)(\d+)\/(\d+)/g, `$1$2-${LARGEST[index]}/$3`))
    .join(' ')
}

/** The IANA time zone of a name; undefined for an unknown one. */
function zoneOf(name: string): string | undefined {
  const zone = ZONE_NAMES[name] ?? name
  // Offsets from UTC are not time zones.
  if (!/^[A-Za-z]/.test(zone)) return undefined
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}
