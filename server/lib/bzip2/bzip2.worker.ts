import { parentPort } from 'node:worker_threads'

import { Bzip2Compressor } from './compressor.ts'

/** What the thread is sent: bytes, or null at their end. Every message is answered with what is ready. */
export type Bzip2Request = Uint8Array | null

const compressor = new Bzip2Compressor()

parentPort?.on('message', (chunk: Bzip2Request) => {
  const ready = chunk === null ? compressor.end() : compressor.push(chunk)
  parentPort?.postMessage(ready, [ready.buffer])
  if (chunk === null) parentPort?.close()
})
