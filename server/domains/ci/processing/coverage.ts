import type { Ctx } from '../../../ctx.ts'
import { runInThread, workerFile } from '../../../threads/thread.ts'
import * as jobs from '../jobs/store.ts'
import { readTrace } from '../traces/service.ts'
import { lastNumber, patternIn } from './coverage-pattern.ts'
import * as store from './store.ts'

/** Bytes at the end of a log that are searched. */
const MAX_BYTES = 4 * 1024 * 1024

/**
 * Reads the coverage of a finished job from its log by the pattern of its `coverage:`. The last number that the pattern
 * finds counts (spec ci 2.2).
 */
export async function readCoverage(ctx: Ctx, jobId: number): Promise<void> {
  const job = jobs.byId(ctx.db, jobId)
  const source = job && store.option<string>(ctx.db, jobId, 'coverage')
  if (!job || !source) return
  const { body } = await readTrace(ctx, job, { start: Math.max(0, job.trace_size - MAX_BYTES) })
  const parts: Buffer[] = []
  if (Buffer.isBuffer(body)) parts.push(body)
  else for await (const part of body as AsyncIterable<Buffer>) parts.push(part)
  const coverage = await findCoverage(Buffer.concat(parts).toString(), source)
  if (coverage === null) return
  store.setCoverage(ctx.db, jobId, coverage, ctx.now)
}

/** Limits of the main thread: characters of a log and of a pattern, steps of the pattern, milliseconds. */
const SMALL = 64 * 1024
const SHORT = 500
const SIMPLE = 100
const MAX_MS = 30
/** Milliseconds for the thread; reasonable logs and patterns take a small part of this. */
const DEADLINE_MS = 10_000

/**
 * `lastNumber` for the pattern of a `coverage:`, in a separate thread if it could take long; null also for an invalid
 * pattern, and for one that takes too long.
 */
async function findCoverage(text: string, source: string): Promise<number | null> {
  if (text.length <= SMALL && source.length <= SHORT) {
    const pattern = patternIn(source)
    if (!pattern) return null
    const coverage = pattern.programSize() > SIMPLE ? 'late' : lastNumber(text, pattern, MAX_MS)
    if (coverage !== 'late') return coverage
  }
  return inThread(text, source)
}

/** The entry point of the worker thread. */
export interface CoverageWork {
  readonly task: { readonly text: string; readonly given: string }
  readonly result: number | null
}

async function inThread(text: string, source: string): Promise<number | null> {
  const limits = { memoryMb: 256, timeoutMs: DEADLINE_MS }
  try {
    return await runInThread<CoverageWork>(
      workerFile(import.meta.url, './coverage'),
      { text, given: source },
      limits,
    )
  } catch {
    return null
  }
}
