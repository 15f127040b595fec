import { isoTime } from '../../../lib/clock.ts'

interface Headers {
  get(name: string): string | null
}

/** Number of requests that remain for other clients with the same account. */
const LEFT = 50
/** Smaller limits are used completely. */
const WATCHED_FROM = 100
/** Added to the reset time of the host, because clocks differ. */
const GRACE_MS = 5000
/** The pause if the host sends no reset time. */
const USUAL_MS = 60_000
const LONGEST_MS = 2 * 3600_000

function whole(headers: Headers, name: string): number | undefined {
  const text = headers.get(name)
  return text !== null && /^\d{1,12}$/.test(text.trim()) ? Number(text) : undefined
}

/** The earliest time of the next request after an answer, ISO 8601. Undefined if it may be sent immediately. */
export function pauseAfter(headers: Headers, now: string): string | undefined {
  const [limit, left, reset] = ['limit', 'remaining', 'reset'].map((name) =>
    whole(headers, `x-ratelimit-${name}`),
  )
  if (limit === undefined || left === undefined || reset === undefined) return undefined
  if (limit < WATCHED_FROM || left > LEFT) return undefined
  const until = reset * 1000 + GRACE_MS
  return until > Date.parse(now) ? bounded(until, now) : undefined
}

/** Whether an error is one of a rate limit, by the hour or for simultaneous requests. */
export function isLimited(status: number, headers: Headers, body: string): boolean {
  if (status === 429) return true
  if (status !== 403) return false
  return (
    headers.get('retry-after') !== null ||
    whole(headers, 'x-ratelimit-remaining') === 0 ||
    /rate limit/i.test(body)
  )
}

/** The time of the next attempt after a rate limit error, ISO 8601. */
export function retryAfter(headers: Headers, now: string): string {
  const seconds = whole(headers, 'retry-after')
  if (seconds !== undefined) return bounded(Date.parse(now) + seconds * 1000, now)
  const reset = whole(headers, 'x-ratelimit-reset')
  const isSpent = whole(headers, 'x-ratelimit-remaining') === 0
  return bounded(isSpent && reset !== undefined ? reset * 1000 + GRACE_MS : Date.parse(now) + USUAL_MS, now)
}

/** Limits the time to between one second and two hours from now. */
function bounded(until: number, now: string): string {
  const from = Date.parse(now)
  return isoTime(Math.min(Math.max(until, from + 1000), from + LONGEST_MS))
}
