import type { IncomingMessage } from 'node:http'
import { Transform, type PassThrough, type Readable, pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'

import { Refusal } from './access.ts'

/** The maximum unpacked size of a fetch request: enough for any history, and little space on a disk. */
export const MAX_FETCH_REQUEST = 128 * 1024 * 1024

/**
 * Returns the body of a request as an unpacked stream. Throws 415 for an encoding other than gzip. The stream ends
 * with an error after more than `limit` unpacked bytes.
 */
export function bodyOf(request: IncomingMessage, limit: number | undefined): Readable {
  const encoding = (request.headers['content-encoding'] ?? 'identity').toLowerCase()
  const isGzip = encoding === 'gzip' || encoding === 'x-gzip'
  if (!isGzip && encoding !== 'identity')
    throw new Refusal(415, `The content encoding ${encoding} is not supported.`)
  const streams: (Transform | PassThrough)[] = [
    ...(isGzip ? [createGunzip()] : []),
    ...(limit === undefined ? [] : [limiter(limit)]),
  ]
  const last = streams.at(-1)
  if (last === undefined) return request
  // An error of one stream destroys the others and reaches the reader of the last one.
  pipeline([request, ...streams], () => {})
  return last
}

function limiter(limit: number): Transform {
  let size = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length
      if (size > limit) done(new Refusal(413, 'The request is too large.'))
      else done(null, chunk)
    },
  })
}
