import { setTimeout as pause } from 'node:timers/promises'
import type { Response } from 'undici'

import type { Ctx } from '../../../ctx.ts'
import { isoTime } from '../../../lib/clock.ts'
import { HostError, unreachable } from './answers.ts'

interface Headers {
  get(name: string): string | null
}

/** Number of requests of a rate limit that are left to other clients with the same account. */
const RESERVED_REQUESTS = 50
/** Smaller rate limits are used completely. */
const MIN_WATCHED_LIMIT = 100
/** Added to the reset time of the host, because clocks differ. */
const GRACE_MS = 5000
/** The delay if the host sends no reset time. */
const DEFAULT_DELAY_MS = 60_000
const MAX_DELAY_MS = 2 * 3600_000

function integerHeader(headers: Headers, name: string): number | undefined {
  const text = headers.get(name)
  return text !== null && /^\d{1,12}$/.test(text.trim()) ? Number(text) : undefined
}

/** The earliest time of the next request after an answer, ISO 8601. Undefined if it may be sent immediately. */
export function pauseAfter(headers: Headers, now: string): string | undefined {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
    integerHeader(headers, `x-ratelimit-${name}`),
  )
  if (limit === undefined || remaining === undefined || reset === undefined) return undefined
  if (limit < MIN_WATCHED_LIMIT || remaining > RESERVED_REQUESTS) return undefined
  const until = reset * 1000 + GRACE_MS
  return until > Date.parse(now) ? clampTime(until, now) : undefined
}

/** Whether an error answer reports a rate limit, hourly or for simultaneous requests. */
export function isLimited(status: number, headers: Headers, body: string): boolean {
  if (status === 429) return true
  if (status !== 403) return false
  return (
    headers.get('retry-after') !== null ||
    integerHeader(headers, 'x-ratelimit-remaining') === 0 ||
    /rate limit/i.test(body)
  )
}

/** The time of the next attempt after a rate limit error, ISO 8601. */
export function retryAfter(headers: Headers, now: string): string {
  const seconds = integerHeader(headers, 'retry-after')
  if (seconds !== undefined) return clampTime(Date.parse(now) + seconds * 1000, now)
  const reset = integerHeader(headers, 'x-ratelimit-reset')
  const isSpent = integerHeader(headers, 'x-ratelimit-remaining') === 0
  return clampTime(
    isSpent && reset !== undefined ? reset * 1000 + GRACE_MS : Date.parse(now) + DEFAULT_DELAY_MS,
    now,
  )
}

/** Limits the time to between one second and two hours from now. */
function clampTime(until: number, now: string): string {
  const nowMs = Date.parse(now)
  return isoTime(Math.min(Math.max(until, nowMs + 1000), nowMs + MAX_DELAY_MS))
}

/** Options of the client of a host. */
export interface ClientOptions {
  readonly token: string
  readonly signal?: AbortSignal | undefined
  /** The current time. */
  readonly now: () => string
  /** Maximum number of attempts after errors of the host. Default is 3. */
  readonly attempts?: number
  /** The time limit of one answer, in milliseconds. Default is a minute. */
  readonly timeoutMs?: number
}

export type Query = Readonly<Record<string, string | number>>

const DEFAULT_ATTEMPTS = 3
/** Delay before the second attempt. Each further delay is four times as long. */
const RETRY_DELAY_MS = 100
const TIMEOUT_MS = 60_000

/** Repeats a request after errors of the host. Throws the last error, or the reason of the signal. */
export async function withRetries<Answer>(
  request: () => Promise<Answer>,
  { attempts = DEFAULT_ATTEMPTS, signal }: ClientOptions,
): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await request()
    } catch (error) {
      const canRetry = error instanceof HostError && error.isTemporary
      if (!canRetry || attempt >= attempts) throw error
      await pause(RETRY_DELAY_MS * 4 ** (attempt - 1), undefined, { signal, ref: false }).catch(() =>
        signal?.throwIfAborted(),
      )
    }
  }
}

/** Sends one request. Throws HostError when the host does not answer in time. */
export async function fetchFrom(
  outbound: Ctx['outbound'],
  url: string,
  init: Parameters<Ctx['outbound']['fetch']>[1],
  { signal, timeoutMs = TIMEOUT_MS }: ClientOptions,
): Promise<Response> {
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    return await outbound.fetch(url, {
      ...init,
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    })
  } catch (error) {
    throw unreachable(error, signal)
  }
}

/** Parses the JSON of an answer. Returns null for an empty one. */
export function parseJson(body: string): unknown {
  try {
    return body === '' ? null : (JSON.parse(body) as unknown)
  } catch {
    throw new HostError(0, 'The other host sent an answer that is not JSON.')
  }
}

/** Returns the error of an answer, with the message that `messageOf` finds in its JSON, shortened to one line. */
export function errorOf(
  status: number,
  body: string,
  messageOf: (answer: unknown) => string | null,
): HostError {
  let message: string | null = null
  try {
    message = messageOf(JSON.parse(body))
  } catch {
    // Proxies may answer with HTML.
  }
  const sentence = message?.replace(/\s+/g, ' ').slice(0, 200)
  return new HostError(status, sentence ?? 'The other host refused.')
}
