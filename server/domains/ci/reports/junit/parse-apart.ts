import { Worker } from 'node:worker_threads'

import { parseJunit } from './parse.ts'
import { brokenSuite, type Suite } from './suite.ts'

/** Characters up to which the main thread reads reports by itself: a few milliseconds. */
const SMALL = 64 * 1024
/** The largest reports that are read at all take a tenth of this. */
const DEADLINE_MS = 60_000

/** `parseJunit`, in a thread of its own where there is much to read. */
export async function parseApart(documents: readonly string[]): Promise<Suite> {
  const length = documents.reduce((sum, document) => sum + document.length, 0)
  return length <= SMALL ? parseJunit(documents) : inThread(documents)
}

async function inThread(documents: readonly string[]): Promise<Suite> {
  // Beside this file in the sources, beside the bundle once it is built.
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const worker = new Worker(new URL(`./junit.worker.${extension}`, import.meta.url), {
    workerData: documents,
    // The tree of a document takes some ten times its length.
    resourceLimits: { maxOldGenerationSizeMb: 768 },
  })
  worker.unref()
  const failed = brokenSuite('JUnit data parsing failed: the reports are too large')
  let timer: NodeJS.Timeout | undefined
  try {
    return await new Promise<Suite>((resolve) => {
      timer = setTimeout(() => resolve(failed), DEADLINE_MS)
      worker.on('message', resolve)
      worker.on('error', () => resolve(failed))
      worker.on('exit', () => resolve(failed))
    })
  } finally {
    clearTimeout(timer)
    await worker.terminate()
  }
}
