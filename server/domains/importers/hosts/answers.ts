import type { Response } from 'undici'

import { isForbidden } from '../../import_export/index.ts'

/** The maximum size of an answer in bytes. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024

/** Returns the error for a request without an answer. Throws the reason of an aborted signal. */
export function unreachable(error: unknown, signal: AbortSignal | undefined): unknown {
  signal?.throwIfAborted()
  if (isForbidden(error)) return error
  return new HostError(0, 'The other host cannot be reached, or did not answer in time.')
}

/** Reads the text of an answer. Throws HostError if it is too large or incomplete. */
export async function textOf(response: Response, signal: AbortSignal | undefined): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of response.body ?? []) {
      size += (chunk as Uint8Array).length
      if (size > MAX_ANSWER_BYTES) break
      chunks.push(Buffer.from(chunk as Uint8Array))
    }
  } catch (error) {
    throw unreachable(error, signal)
  }
  if (size > MAX_ANSWER_BYTES) throw new HostError(413, 'An answer of the other host is too large.')
  return Buffer.concat(chunks).toString('utf8')
}

/** The other host refused a request because of a rate limit. */
export class RateLimited extends Error {
  /** The time of the next attempt, ISO 8601. */
  readonly until: string

  constructor(until: string) {
    super(`The other host has a rate limit until ${until}.`)
    this.name = 'RateLimited'
    this.until = until
  }
}

/** The other host refused the request, or its answer is invalid. */
export class HostError extends Error {
  /** The HTTP status of the answer; 0 without an answer. */
  readonly status: number

  constructor(status: number, sentence: string) {
    super(sentence)
    this.name = 'HostError'
    this.status = status
  }

  /** Whether another attempt may succeed, because the host is unreachable or has an internal error. */
  get isTemporary(): boolean {
    return this.status === 0 || this.status >= 500
  }
}

/** The unchecked fields of a record from the other host. */
export type Fields = Readonly<Record<string, unknown>>

/** Returns the fields of a value that is a record; null for other values. */
export function record(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null
}

/** Returns the record in a field; null if the field has none. */
export function recordIn(fields: Fields | null, name: string): Fields | null {
  return record(fields?.[name])
}

/** Returns the records in a list, without other elements. */
export function records(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(record).filter((item) => item !== null) : []
}

/** Returns the text in a field; null if the field has none. */
export function text(fields: Fields | null, name: string): string | null {
  const value = fields?.[name]
  return typeof value === 'string' ? value : null
}

/** Returns the non-negative integer in a field; null if the field has none. */
export function integer(fields: Fields | null, name: string): number | null {
  const value = fields?.[name]
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}

/** Whether a field is true. */
export function flag(fields: Fields | null, name: string): boolean {
  return fields?.[name] === true
}
