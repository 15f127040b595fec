import { setTimeout as pause } from 'node:timers/promises'

import type { Response } from 'undici'

import type { Ctx } from '../../../ctx.ts'
import { HostProblem, unreachable } from './answers.ts'

/** Options of the client of a host. */
export interface ClientOptions {
  readonly token: string
  readonly signal?: AbortSignal | undefined
  /** The current time. */
  readonly now: () => string
  /** Maximum attempts of a request after errors of the host; 3 by default. */
  readonly attempts?: number
  /** How long one answer may take; a minute by default. */
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
    throw new HostProblem(0, 'The other host answered something that is not JSON.')
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
