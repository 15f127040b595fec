import { Worker } from 'node:worker_threads'

import { lastNumber, patternIn } from './coverage-pattern.ts'

/** What the main thread reads by itself: characters of a log and of a pattern, the pattern's steps, milliseconds. */
const SMALL = 64 * 1024
const SHORT = 500
const SIMPLE = 100
const MOST_MS = 30
/** Logs and patterns that are meant to give a number take a small part of this. */
const DEADLINE_MS = 10_000

/**
 * `lastNumber` for the pattern of a `coverage:`, in a thread of its own where it could take long; null also for a pattern
 * that is none, and for one that takes too long.
 */
export async function findApart(text: string, given: string): Promise<number | null> {
  if (text.length <= SMALL && given.length <= SHORT) {
    const pattern = patternIn(given)
    if (!pattern) return null
    const found = pattern.programSize() > SIMPLE ? 'late' : lastNumber(text, pattern, MOST_MS)
    if (found !== 'late') return found
  }
  return inThread(text, given)
}

async function inThread(text: string, given: string): Promise<number | null> {
  // Beside this file in the sources, beside the bundle once it is built.
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const worker = new Worker(new URL(`./coverage.worker.${extension}`, import.meta.url), {
    workerData: { text, given },
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  })
  worker.unref()
  let timer: NodeJS.Timeout | undefined
  try {
    return await new Promise<number | null>((resolve) => {
      timer = setTimeout(() => resolve(null), DEADLINE_MS)
      worker.on('message', resolve)
      worker.on('error', () => resolve(null))
      worker.on('exit', () => resolve(null))
    })
  } finally {
    clearTimeout(timer)
    await worker.terminate()
  }
}
