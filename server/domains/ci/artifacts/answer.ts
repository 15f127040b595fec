import type { Ctx } from '../../../ctx.ts'
import { SANDBOX, disposition } from '../../../http/content.ts'
import type { RawAnswer } from '../../../http/returns.ts'
import { partOf } from '../traces/read.ts'
import { sizeOf } from './content.ts'
import { openWhole, type Content } from './download.ts'
import type { ArtifactRow } from './store.ts'

/** Types by the ending of a name, for answers that no browser shows as a page. */
const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  gif: 'image/gif',
  gz: 'application/gzip',
  htm: 'text/html; charset=utf-8',
  html: 'text/html; charset=utf-8',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  log: 'text/plain; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  pdf: 'application/pdf',
  png: 'image/png',
  svg: 'image/svg+xml',
  tar: 'application/x-tar',
  txt: 'text/plain; charset=utf-8',
  webp: 'image/webp',
  xml: 'application/xml',
  zip: 'application/zip',
}

/** The type of a file by its name. */
function mediaType(path: string): string {
  const extension = /\.([A-Za-z0-9]+)$/.exec(path)?.[1]?.toLowerCase() ?? ''
  return Object.hasOwn(TYPES, extension) ? TYPES[extension]! : 'application/octet-stream'
}

/**
 * A stored file, or the part of it that a `Range` header asks for, so that a download can go on where it broke off. Throws
 * 404 where it is gone from the disk.
 */
export async function answerWithPart(
  ctx: Pick<Ctx, 'config'>,
  row: ArtifactRow,
  range: string,
): Promise<RawAnswer> {
  const size = await sizeOf(ctx, row)
  const part = range === '' || size === undefined ? null : partOf(range, size)
  if (part === 'behind')
    return { type: 'text/plain', body: '', status: 416, headers: { 'Content-Range': `bytes */${size}` } }
  const content = await openWhole(ctx, row, part ?? undefined)
  const answer = answerWith(content)
  const headers = { ...answer.headers, 'Accept-Ranges': 'bytes' }
  if (part === null) return { ...answer, headers }
  const place = `bytes ${part.start}-${part.end - 1}/${size}`
  return { ...answer, status: 206, headers: { ...headers, 'Content-Range': place } }
}

/**
 * Bytes that somebody's job made, as an answer: with the type of their name, but never shown as a page of this address and
 * with nothing in them that may run.
 */
export function answerWith({ name, size, stream }: Content): RawAnswer {
  return {
    type: mediaType(name),
    body: stream,
    length: size,
    headers: {
      'Content-Disposition': disposition('attachment', name),
      'Content-Security-Policy': SANDBOX,
      'X-Content-Type-Options': 'nosniff',
    },
  }
}
