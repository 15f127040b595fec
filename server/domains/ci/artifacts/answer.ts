import { disposition, SANDBOX } from '../../../http/content.ts'
import type { RawAnswer } from '../../../http/returns.ts'
import { mediaType } from './archive/media-type.ts'
import type { Content } from './download.ts'

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
