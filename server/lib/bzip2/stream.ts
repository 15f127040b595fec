import { once } from 'node:events'
import { Readable } from 'node:stream'
import { Worker } from 'node:worker_threads'

/** Threads at work at a time; each takes a processor and some 30 MB. */
const MAX_THREADS = 2
/** Small chunks are put together: a message to the thread costs more than their bytes. */
const CHUNK_BYTES = 256 * 1024

let running = 0
const waiting: (() => void)[] = []

async function enter(): Promise<void> {
  if (running < MAX_THREADS) running += 1
  else await new Promise<void>((resolve) => waiting.push(resolve))
}

function leave(): void {
  const next = waiting.shift()
  if (next === undefined) running -= 1
  else next()
}

/**
 * The bytes of `source`, compressed to the bzip2 format on a thread of its own. No faster than it is read; destroying it
 * ends the thread and the source.
 */
export function bzip2(source: Readable): Readable {
  const packed = Readable.from(compressed(source), { objectMode: false })
  // A source that has nothing to say would otherwise keep the thread for ever.
  packed.once('close', () => source.destroy())
  return packed
}

async function* compressed(source: Readable): AsyncGenerator<Uint8Array> {
  await enter()
  // Beside this file in the sources, beside the bundle once it is built.
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const worker = new Worker(new URL(`./bzip2.worker.${extension}`, import.meta.url))
  worker.unref()
  try {
    for await (const chunk of inChunks(source)) yield* answer(worker, chunk)
    yield* answer(worker, null)
  } finally {
    source.destroy()
    await worker.terminate()
    leave()
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
