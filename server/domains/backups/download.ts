import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'

import type { Ctx } from '../../ctx.ts'
import { fail, notFound } from '../../lib/fail.ts'
import { fileOf } from './service.ts'

/** The file of a backup as an answer, or the part of it that a `Range` header names. Throws 404, and 400 for a wrong range. */
export async function download(ctx: Ctx, id: number, range: string) {
  const { name, path } = fileOf(ctx, id)
  const found = await stat(path).catch(() => undefined)
  if (!found) throw notFound('File')
  const part = rangeOf(range, found.size)
  const headers = {
    'Content-Disposition': `attachment; filename="${name.replaceAll(/[^\w.-]/g, '_')}"`,
    'Cache-Control': 'private, no-store',
    'Accept-Ranges': 'bytes',
    ...(part ? { 'Content-Range': `bytes ${part.start}-${part.end}/${found.size}` } : {}),
  }
  return {
    type: 'application/octet-stream',
    status: part ? 206 : 200,
    length: part ? part.end - part.start + 1 : found.size,
    headers,
    body: createReadStream(path, part ?? {}),
  }
}

/** `bytes=100-`, `bytes=100-199` or `bytes=-100`; whatever else is there is not understood, and so all is sent. */
function rangeOf(range: string, size: number): { start: number; end: number } | undefined {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range) ?? []
  if (first === undefined || last === undefined || first + last === '') return undefined
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (start > end) throw fail('bad_request', 'The range cannot be satisfied.')
  return { start, end }
}
