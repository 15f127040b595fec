import type { Response } from 'undici'

import { isForbidden } from '../../import_export/index.ts'

/** The maximum size of an answer in bytes. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024

/** The error for a request without an answer. Throws the reason of an aborted signal. */
export function unreachable(error: unknown, signal: AbortSignal | undefined): unknown {
  signal?.throwIfAborted()
  if (isForbidden(error)) return error
  return new HostProblem(0, 'The other host cannot be reached, or did not answer in time.')
}

/** The text of an answer. Throws HostProblem for one that is too large or incomplete. */
export async function textOf(response: Response, signal: AbortSignal | undefined): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  try {
    for await (const part of response.body ?? []) {
      size += (part as Uint8Array).length
      if (size > MAX_ANSWER_BYTES) break
      parts.push(Buffer.from(part as Uint8Array))
    }
  } catch (error) {
    throw unreachable(error, signal)
  }
  if (size > MAX_ANSWER_BYTES) throw new HostProblem(413, 'An answer of the other host is too large.')
  return Buffer.concat(parts).toString('utf8')
}

/** The other host rate limits requests. */
export class HostWaits extends Error {
  /** The time of the next attempt, ISO 8601. */
  readonly until: string

  constructor(until: string) {
    super(`The other host has a rate limit until ${until}.`)
    this.name = 'HostWaits'
    this.until = until
  }
}

/** The other host refused the request, or its answer is invalid. */
export class HostProblem extends Error {
  /** The status of the answer; 0 without one. */
  readonly status: number

  constructor(status: number, sentence: string) {
    super(sentence)
    this.name = 'HostProblem'
    this.status = status
  }

  /** True if another attempt may succeed: the host has an error or is unreachable. */
  get isPassing(): boolean {
    return this.status === 0 || this.status >= 500
  }
}

/** An unchecked record of the other host. */
export type Fields = Readonly<Record<string, unknown>>

/** A record; null for anything else. */
export function record(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null
}

/** The record in a field; null without one. */
export function inner(of: Fields | null, name: string): Fields | null {
  return record(of?.[name])
}

/** The records of a list; other elements are left out. */
export function records(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(record).filter((item) => item !== null) : []
}

/** The text of a field; null without one. */
export function text(of: Fields | null, name: string): string | null {
  const value = of?.[name]
  return typeof value === 'string' ? value : null
}

/** The whole number from 0 in a field; null without one. */
export function integer(of: Fields | null, name: string): number | null {
  const value = of?.[name]
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}

export function flag(of: Fields | null, name: string): boolean {
  return of?.[name] === true
}
