import { disposition, SANDBOX } from '../../../http/content.ts'
import type { RawAnswer } from '../../../http/returns.ts'
import type { Ctx } from '../../../ctx.ts'
import { partOf } from '../jobs/trace.ts'
import { mediaType } from './archive/media-type.ts'
import { sizeOf } from './content.ts'
import { openWhole, type Content } from './download.ts'
import type { ArtifactRow } from './store.ts'

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
