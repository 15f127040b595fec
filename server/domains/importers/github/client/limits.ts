import { isoTime } from '../../../../lib/clock.ts'

interface Headers {
  get(name: string): string | null
}

/** So many requests are left to others who use the same account. */
const LEFT = 50
/** Hosts that allow fewer are asked to the last. */
const WATCHED_FROM = 100
/** Beyond the moment that the host names, for clocks differ. */
const GRACE_MS = 5000
/** Where the host does not say for how long. */
const USUAL_MS = 60_000
const LONGEST_MS = 2 * 3600_000

function whole(headers: Headers, name: string): number | undefined {
  const text = headers.get(name)
  return text !== null && /^\d{1,12}$/.test(text.trim()) ? Number(text) : undefined
}

/** Until when nothing more should be asked after an answer, ISO 8601; undefined where the next request may go out. */
export function pauseAfter(headers: Headers, now: string): string | undefined {
  const [limit, left, reset] = ['limit', 'remaining', 'reset'].map((name) =>
    whole(headers, `x-ratelimit-${name}`),
  )
  if (limit === undefined || left === undefined || reset === undefined) return undefined
  if (limit < WATCHED_FROM || left > LEFT) return undefined
  const until = reset * 1000 + GRACE_MS
  return until > Date.parse(now) ? bounded(until, now) : undefined
}

/** Whether a refusal is one of a rate limit, of the hour or of too many requests at once. */
export function isLimited(status: number, headers: Headers, body: string): boolean {
  if (status === 429) return true
  if (status !== 403) return false
  return (
    headers.get('retry-after') !== null ||
    whole(headers, 'x-ratelimit-remaining') === 0 ||
    /rate limit/i.test(body)
  )
}

/** When to ask again after such a refusal, ISO 8601. */
export function retryAfter(headers: Headers, now: string): string {
  const seconds = whole(headers, 'retry-after')
  if (seconds !== undefined) return bounded(Date.parse(now) + seconds * 1000, now)
  const reset = whole(headers, 'x-ratelimit-reset')
  const isSpent = whole(headers, 'x-ratelimit-remaining') === 0
  return bounded(isSpent && reset !== undefined ? reset * 1000 + GRACE_MS : Date.parse(now) + USUAL_MS, now)
}

/** At least a second and at most two hours from now, whatever a stranger says. */
function bounded(until: number, now: string): string {
  const from = Date.parse(now)
  return isoTime(Math.min(Math.max(until, from + 1000), from + LONGEST_MS))
}
