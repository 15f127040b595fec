import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'

import { dataPaths } from '../../../config.ts'
import type { Ctx } from '../../../ctx.ts'
import { isForbidden } from '../../import_export/index.ts'
import { HostError } from '../hosts/answers.ts'

/** A downloaded file in the temporary folder. */
export interface Download {
  readonly path: string
  readonly size: number
  /** The file name that the host sent; null if it sent none. */
  readonly name: string | null
}

const TIMEOUT_MS = 10 * 60_000

/**
 * Downloads a file of another host into the temporary folder, at most `maxBytes` of it. The caller moves or removes the
 * file. Throws HostError or the reason of the signal, and leaves no file then.
 */
export async function download(
  ctx: Pick<Ctx, 'outbound' | 'config' | 'random'>,
  url: string,
  options: { headers?: Readonly<Record<string, string>>; maxBytes: number; signal: AbortSignal },
): Promise<Download> {
  const path = join(dataPaths(ctx.config.dataDir).tmp, `host-import-${ctx.random.hex(16)}`)
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(TIMEOUT_MS)])
  let size = 0
  const sizeLimit = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length
      if (size > options.maxBytes) done(new HostError(413, 'The file is too large.'))
      else done(null, chunk)
    },
  })
  try {
    const response = await ctx.outbound.fetch(url, {
      headers: { 'user-agent': 'Deskforge', ...options.headers },
      signal,
    })
    if (!response.ok || !response.body) {
      await response.body?.cancel().catch(() => undefined)
      throw new HostError(response.status, 'The file could not be fetched.')
    }
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const body = Readable.fromWeb(response.body as ReadableStream)
    await pipeline(body, sizeLimit, createWriteStream(path, { flags: 'wx', mode: 0o600 }), { signal })
    return { path, size, name: nameIn(response.headers.get('content-disposition')) }
  } catch (error) {
    await rm(path, { force: true })
    options.signal.throwIfAborted()
    if (error instanceof HostError) throw error
    throw new HostError(isForbidden(error) ? 403 : 404, 'The file could not be fetched.')
  }
}

function nameIn(disposition: string | null): string | null {
  const [, name] = /filename="?([^";]+)"?/.exec(disposition ?? '') ?? []
  return name?.trim() || null
}
