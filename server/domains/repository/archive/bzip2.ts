import { Readable } from 'node:stream'

import { ThreadPool } from '../../../threads/pool.ts'
import { workerFile } from '../../../threads/thread.ts'

/** The minimum size of chunks. Smaller ones are joined, because each message to the thread takes time. */
const CHUNK_BYTES = 256 * 1024

/** The messages of the thread. It receives bytes, or null at the end, and returns compressed bytes. */
export interface Bzip2Work {
  readonly task: Uint8Array | null
  readonly result: Uint8Array
}

/** Compresses to the bzip2 format on two threads. Each uses one processor and about 30 MB. */
export class Bzip2 {
  readonly #threads = new ThreadPool<Bzip2Work>(workerFile(import.meta.url, './bzip2'), { threads: 2 })

  /**
   * Returns the compressed bytes of `source`, at the speed of the reader. Destroying the stream ends the thread and
   * destroys the source.
   */
  compress(source: Readable): Readable {
    const compressed = Readable.from(this.#compressChunks(source), { objectMode: false })
    // Otherwise a source that sends nothing would block the thread forever.
    compressed.once('close', () => source.destroy())
    return compressed
  }

  async *#compressChunks(source: Readable): AsyncGenerator<Uint8Array> {
    const { thread, release } = await this.#threads.take()
    try {
      for await (const chunk of inChunks(source)) {
        const compressed = await thread.run(chunk)
        if (compressed.length > 0) yield compressed
      }
      yield await thread.run(null)
    } finally {
      source.destroy()
      await release(false)
    }
  }
}

async function* inChunks(source: Readable): AsyncGenerator<Uint8Array> {
  let buffers: Buffer[] = []
  let size = 0
  for await (const buffer of source as AsyncIterable<Buffer>) {
    buffers.push(buffer)
    size += buffer.length
    if (size < CHUNK_BYTES) continue
    yield Buffer.concat(buffers, size)
    buffers = []
    size = 0
  }
  if (size > 0) yield Buffer.concat(buffers, size)
}
