import { once } from 'node:events'
import { Readable } from 'node:stream'
import { Worker } from 'node:worker_threads'

/** Threads at work at a time; each takes a processor and some 30 MB. */
const MAX_THREADS = 2
/** Small chunks are put together: a message to the thread costs more than their bytes. */
const CHUNK_BYTES = 256 * 1024

/** Compresses to the bzip2 format on threads, a few at a time. */
export class Bzip2 {
  #running = 0
  readonly #waiting: (() => void)[] = []

  /** The compressed bytes of `source`, made no faster than they are read. Destroying them ends the thread and the source. */
  compress(source: Readable): Readable {
    const packed = Readable.from(this.#compressed(source), { objectMode: false })
    // A source that has nothing to say would otherwise keep the thread for ever.
    packed.once('close', () => source.destroy())
    return packed
  }

  async *#compressed(source: Readable): AsyncGenerator<Uint8Array> {
    await this.#enter()
    // Next to this file in the sources, next to the bundle once it is built.
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
    const worker = new Worker(new URL(`./bzip2.worker.${extension}`, import.meta.url))
    worker.unref()
    try {
      for await (const chunk of inChunks(source)) yield* answer(worker, chunk)
      yield* answer(worker, null)
    } finally {
      source.destroy()
      await worker.terminate()
      this.#leave()
    }
  }

  async #enter(): Promise<void> {
    if (this.#running < MAX_THREADS) this.#running += 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  #leave(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#running -= 1
    else next()
  }
}

async function* answer(worker: Worker, chunk: Uint8Array | null): AsyncGenerator<Uint8Array> {
  // Rejects when the thread fails.
  const answered = once(worker, 'message')
  worker.postMessage(chunk)
  const [ready] = (await answered) as [Uint8Array]
  if (ready.length > 0) yield ready
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
