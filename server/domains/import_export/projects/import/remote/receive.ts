import type { FileHandle } from 'node:fs/promises'

import type { Ctx } from '../../../../../ctx.ts'
import { ImportFailure, isForbidden } from '../../../imports/reasons.ts'
import type { ArchiveRequest } from './archive.ts'
import { allowsHttp } from './look.ts'

/** The connection ended before everything had come; asking for the rest may help. */
export class SourceBroke extends Error {}

/** A part of an archive that is to come. */
export interface Wanted {
  readonly request: ArchiveRequest
  readonly file: FileHandle
  /** How much of it is there already, bytes; the rest is asked for. */
  readonly at: number
  /** How much it is altogether, as the source said. */
  readonly length: number
  readonly signal: AbortSignal
  onBytes(done: number): void
}

/** So many times the patience for an answer may pass without a byte. */
const SILENCES = 3
const TOO_MUCH = 'The source sent more than it had said'

/**
 * Receives the rest of an archive into its file. Throws SourceBroke where the connection ends too soon, and a sentence for a source
 * that says no, lies, or sends something else.
 */
export async function receive(ctx: Ctx, wanted: Wanted): Promise<void> {
  const silence = new AbortController()
  const timer = setTimeout(() => silence.abort(), ctx.config.hookTimeoutMs * SILENCES)
  const signal = AbortSignal.any([wanted.signal, silence.signal])
  try {
    const response = await ask(ctx, wanted.request, signal)
    const from = await beginningOf(response, wanted)
    let done = from
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
      timer.refresh()
      done += chunk.byteLength
      if (done > wanted.length) throw new ImportFailure(`${TOO_MUCH} (${wanted.length} bytes).`)
      await wanted.file.write(chunk)
      wanted.onBytes(done)
    }
    if (done < wanted.length) throw new SourceBroke(`The source sent ${done} of ${wanted.length} bytes.`)
  } catch (error) {
    if (silence.signal.aborted && !wanted.signal.aborted)
      throw new ImportFailure('The source stopped sending, and did not go on.')
    if (error instanceof ImportFailure || isForbidden(error)) throw error
    throw new SourceBroke('The connection to the source broke.', { cause: error })
  } finally {
    clearTimeout(timer)
  }
}

type Answer = Awaited<ReturnType<Ctx['outbound']['fetch']>>

async function ask(
  ctx: Ctx,
  { url, headers, redirect }: ArchiveRequest,
  signal: AbortSignal,
): Promise<Answer> {
  const all = { ...headers, 'accept-encoding': 'identity' }
  const response = await ctx.outbound.fetch(url, { headers: all, redirect, signal })
  const refuse = async (sentence: string): Promise<never> => {
    await response.body?.cancel().catch(() => undefined)
    throw new ImportFailure(sentence)
  }
  if (new URL(response.url || url).protocol === 'http:' && !allowsHttp(ctx))
    await refuse('The source leads to an address that is not https.')
  if (response.status >= 500) {
    await response.body?.cancel().catch(() => undefined)
    throw new SourceBroke(`The source answered ${response.status}.`)
  }
  if (!response.ok) await refuse(`The source answered ${response.status} in place of the archive.`)
  const encoding = response.headers.get('content-encoding') ?? 'identity'
  if (encoding !== 'identity') await refuse(`The source sends the archive in another form (${encoding}).`)
  return response
}

/** Where what comes begins; a source that cannot send a part sends all again. */
async function beginningOf(response: Answer, { at, length, file }: Wanted): Promise<number> {
  const { status, headers } = response
  if (status === 206) {
    const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers.get('content-range') ?? '')
    if (Number(range?.[1] ?? NaN) !== at)
      throw new ImportFailure('The source sent another part than it was asked for.')
    if (range?.[2] !== '*' && Number(range?.[2]) !== length)
      throw new ImportFailure('The archive at the source has changed meanwhile.')
    return at
  }
  const said = headers.get('content-length')
  if (said !== null && Number(said) > length) throw new ImportFailure(`${TOO_MUCH} (${length} bytes).`)
  if (at > 0) await file.truncate(0)
  return 0
}
