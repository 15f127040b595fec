import { Readable } from 'node:stream'

/** Returns the first chunk of a stream, and a stream of all chunks including the first. */
export async function peek(stream: Readable): Promise<[Buffer, Readable]> {
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  const first = await chunks.next()
  const head = first.done ? Buffer.alloc(0) : Buffer.from(first.value)
  async function* body(): AsyncGenerator<Buffer> {
    try {
      if (!first.done) yield head
      for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value
    } finally {
      stream.destroy()
    }
  }
  return [head, Readable.from(body(), { objectMode: false })]
}
