import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'

import { notFound } from '../../lib/fail.ts'
import { contentType, disposition, SANDBOX } from './content.ts'
import type { WebExchange } from '../web-route.ts'

/** A stored file to send. */
export interface FileAnswer {
  readonly path: string
  /** The file name for the browser. */
  readonly name: string
  /** True if every cache may store the file, because it is public. */
  readonly isPublic: boolean
}

/**
 * Sends a stored file with a media type that cannot run scripts, or 304 when the client already has the file. Throws 404
 * if the file is missing.
 */
export async function sendFile({ req, res }: WebExchange, file: FileAnswer): Promise<void> {
  const stats = await stat(file.path).catch(() => undefined)
  if (!stats?.isFile()) throw notFound('File')
  const etag = `"${stats.size.toString(16)}-${Math.trunc(stats.mtimeMs).toString(16)}"`
  const cacheHeaders = {
    ETag: etag,
    'Cache-Control': file.isPublic ? 'public, max-age=0, must-revalidate' : 'private, no-cache',
    Vary: 'Origin, Cookie',
  }
  if (req.headers['if-none-match'] === etag) {
    res.writeHead(304, cacheHeaders).end()
    return
  }
  const { type, inline } = contentType(file.name, await headOf(file.path))
  res.writeHead(200, {
    ...cacheHeaders,
    'Content-Type': type,
    'Content-Length': stats.size,
    'Content-Disposition': disposition(inline ? 'inline' : 'attachment', file.name),
    'Content-Security-Policy': SANDBOX,
    'Cross-Origin-Resource-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
  })
  if (req.method === 'HEAD') res.end()
  else await pipeline(createReadStream(file.path), res)
}

async function headOf(path: string): Promise<Buffer> {
  const handle = await open(path)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(8000), 0, 8000, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}
