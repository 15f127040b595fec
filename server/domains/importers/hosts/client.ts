import { setTimeout as pause } from 'node:timers/promises'
import type { Response } from 'undici'

import type { Ctx } from '../../../ctx.ts'
import { isoTime } from '../../../lib/clock.ts'
import { HostProblem, unreachable } from './answers.ts'

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

function integerHeader(headers: Headers, name: string): number | undefined {
  const text = headers.get(name)
  return text !== null && /^\d{1,12}$/.test(text.trim()) ? Number(text) : undefined
}

/** The earliest time of the next request after an answer, ISO 8601. Undefined if it may be sent immediately. */
export function pauseAfter(headers: Headers, now: string): string | undefined {
  const [limit, left, reset] = ['limit', 'remaining', 'reset'].map((name) =>
    integerHeader(headers, `x-ratelimit-${name}`),
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
    integerHeader(headers, 'x-ratelimit-remaining') === 0 ||
    /rate limit/i.test(body)
  )
}

/** The time of the next attempt after a rate limit error, ISO 8601. */
export function retryAfter(headers: Headers, now: string): string {
  const seconds = integerHeader(headers, 'retry-after')
  if (seconds !== undefined) return bounded(Date.parse(now) + seconds * 1000, now)
  const reset = integerHeader(headers, 'x-ratelimit-reset')
  const isSpent = integerHeader(headers, 'x-ratelimit-remaining') === 0
  return bounded(isSpent && reset !== undefined ? reset * 1000 + GRACE_MS : Date.parse(now) + USUAL_MS, now)
}

/** Limits the time to between one second and two hours from now. */
function bounded(until: number, now: string): string {
  const from = Date.parse(now)
  return isoTime(Math.min(Math.max(until, from + 1000), from + LONGEST_MS))
}

/** Options of the client of a host. */
export interface ClientOptions {
  readonly token: string
  readonly signal?: AbortSignal | undefined
  /** The current time. */
  readonly now: () => string
  /** Maximum attempts of a request after errors of the host; 3 by default. */
  readonly attempts?: number
  /** The time limit of one answer in milliseconds; a minute by default. */
  readonly timeoutMs?: number
}

export type Query = Readonly<Record<string, string | number>>

const ATTEMPTS = 3
/** Before the second attempt; four times as long before each further one. */
const PAUSE_MS = 100
const TIMEOUT_MS = 60_000

/** Repeats a request after errors of the host. Throws the last error, or the reason of the signal. */
export async function withRetries<Answer>(
  ask: () => Promise<Answer>,
  { attempts = ATTEMPTS, signal }: ClientOptions,
): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask()
    } catch (error) {
      const isPassing = error instanceof HostProblem && error.isPassing
      if (!isPassing || attempt >= attempts) throw error
      await pause(PAUSE_MS * 4 ** (attempt - 1), undefined, { signal, ref: false }).catch(() =>
        signal?.throwIfAborted(),
      )
    }
  }
}

/** Sends one request. Throws HostProblem when the host does not answer in time. */
export async function fetchFrom(
  outbound: Ctx['outbound'],
  url: string,
  init: Parameters<Ctx['outbound']['fetch']>[1],
  { signal, timeoutMs = TIMEOUT_MS }: ClientOptions,
): Promise<Response> {
  const late = AbortSignal.timeout(timeoutMs)
  try {
    return await outbound.fetch(url, { ...init, signal: signal ? AbortSignal.any([signal, late]) : late })
  } catch (error) {
    throw unreachable(error, signal)
  }
}

/** The JSON of an answer; null for an empty one. */
export function parsed(body: string): unknown {
  try {
    return body === '' ? null : (JSON.parse(body) as unknown)
  } catch {
    throw new HostProblem(0, 'The other host sent an answer that is not JSON.')
  }
}

/** The error of an answer, with the host's message shortened to one line. `messageOf` finds it in the JSON. */
export function problemOf(
  status: number,
  body: string,
  messageOf: (answer: unknown) => string | null,
): HostProblem {
  let message: string | null = null
  try {
    message = messageOf(JSON.parse(body))
  } catch {
    // Proxies may answer with HTML.
  }
  const sentence = message?.replace(/\s+/g, ' ').slice(0, 200)
  return new HostProblem(status, sentence ?? 'The other host refused.')
}
