import type { IncomingMessage } from 'node:http'
import { Transform, type PassThrough, type Readable, pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'

import { Refusal } from './access.ts'

/** The maximum unpacked size of a fetch request: generous for any history, small for a disk. */
export const MAX_FETCH_REQUEST = 128 * 1024 * 1024

/**
 * Returns the body of a request, unpacked while it arrives. Throws 415 for an encoding other than gzip. More than
 * `limit` unpacked bytes end it with an error.
 */
export function bodyOf(request: IncomingMessage, limit: number | undefined): Readable {
  const encoding = (request.headers['content-encoding'] ?? 'identity').toLowerCase()
  const isGzip = encoding === 'gzip' || encoding === 'x-gzip'
  if (!isGzip && encoding !== 'identity')
    throw new Refusal(415, `The content encoding ${encoding} is not supported.`)
  const parts: (Transform | PassThrough)[] = [
    ...(isGzip ? [createGunzip()] : []),
    ...(limit === undefined ? [] : [meter(limit)]),
  ]
  const last = parts.at(-1)
  if (last === undefined) return request
  // An error of one stream destroys the others and reaches the reader of the last one.
  pipeline([request, ...parts], () => {})
  return last
}

function meter(limit: number): Transform {
  let size = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length
      if (size > limit) done(new Refusal(413, 'The request is too large.'))
      else done(null, chunk)
    },
  })
}
