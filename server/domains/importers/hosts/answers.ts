import type { Response } from 'undici'

import { isForbidden } from '../../import_export/index.ts'
import { HostProblem } from '../github/client/problems.ts'

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
