import { Readable } from 'node:stream'

import { ThreadPool } from '../../../threads/pool.ts'
import { workerFile } from '../../../threads/thread.ts'

/** Small chunks are joined: a message to the thread costs more than their bytes. */
const CHUNK_BYTES = 256 * 1024

/** The thread receives bytes, or null at their end, and answers with the bytes compressed so far. */
export interface Bzip2Work {
  readonly task: Uint8Array | null
  readonly result: Uint8Array
}

/** Compresses to the bzip2 format on a few threads; each takes one processor and some 30 MB. */
export class Bzip2 {
  readonly #threads = new ThreadPool<Bzip2Work>(workerFile(import.meta.url, './bzip2'), { threads: 2 })

  /**
   * Returns the compressed bytes of `source`, no faster than the reader takes them. Destroying the stream ends the
   * thread and the source.
   */
  compress(source: Readable): Readable {
    const packed = Readable.from(this.#compressed(source), { objectMode: false })
    // A source that sends nothing would otherwise keep the thread forever.
    packed.once('close', () => source.destroy())
    return packed
  }

  async *#compressed(source: Readable): AsyncGenerator<Uint8Array> {
    const { thread, release } = await this.#threads.take()
    try {
      for await (const chunk of inChunks(source)) {
        const ready = await thread.run(chunk)
        if (ready.length > 0) yield ready
      }
      yield await thread.run(null)
    } finally {
      source.destroy()
      await release(false)
    }
  }
}

async function* inChunks(source: Readable): AsyncGenerator<Uint8Array> {
  let parts: Buffer[] = []
  let size = 0
  for await (const part of source as AsyncIterable<Buffer>) {
    parts.push(part)
    size += part.length
    if (size < CHUNK_BYTES) continue
    yield Buffer.concat(parts, size)
    parts = []
    size = 0
  }
  if (size > 0) yield Buffer.concat(parts, size)
}
