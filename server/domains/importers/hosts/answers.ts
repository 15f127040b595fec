import type { Response } from 'undici'

import { isForbidden } from '../../import_export/index.ts'

/** Largest answer that is read, bytes. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024

/** What is made of a request that came to nothing. Throws the reason of the signal where whoever asked has gone. */
export function unreachable(error: unknown, signal: AbortSignal | undefined): unknown {
  signal?.throwIfAborted()
  if (isForbidden(error)) return error
  return new HostProblem(0, 'The other host cannot be reached, or did not answer in time.')
}

/** The text of an answer. Throws HostProblem for one that is too large or breaks off. */
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

/** The other host asks for patience. */
export class HostWaits extends Error {
  /** When to ask again, ISO 8601. */
  readonly until: string

  constructor(until: string) {
    super(`The other host asks to wait until ${until}.`)
    this.name = 'HostWaits'
    this.until = until
  }
}

/** The other host refused, or could not be understood. */
export class HostProblem extends Error {
  /** Its status; 0 where it gave none. */
  readonly status: number

  constructor(status: number, sentence: string) {
    super(sentence)
    this.name = 'HostProblem'
    this.status = status
  }

  /** True where asking again later may help: it is broken, or cannot be reached. */
  get isPassing(): boolean {
    return this.status === 0 || this.status >= 500
  }
}

/** A record of the other host; everything in it is a stranger's. */
export type Fields = Readonly<Record<string, unknown>>

/** A record; null for anything else. */
export function record(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null
}

/** The record inside another one; null where there is none. */
export function inner(of: Fields | null, name: string): Fields | null {
  return record(of?.[name])
}

/** The records of a list, of a field or as it is; what is none is left out. */
export function records(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(record).filter((one) => one !== null) : []
}

/** A text; null where there is none. */
export function text(of: Fields | null, name: string): string | null {
  const value = of?.[name]
  return typeof value === 'string' ? value : null
}

/** A whole number from 0; null where there is none. */
export function whole(of: Fields | null, name: string): number | null {
  const value = of?.[name]
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}

export function flag(of: Fields | null, name: string): boolean {
  return of?.[name] === true
}
