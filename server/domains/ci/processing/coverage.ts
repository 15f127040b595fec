import type { Ctx } from '../../../ctx.ts'
import { runInThread, workerFile } from '../../../threads/thread.ts'
import * as jobs from '../jobs/store.ts'
import { readTrace } from '../traces/service.ts'
import { lastNumber, patternIn } from './coverage-pattern.ts'
import * as store from './store.ts'

/** The number of bytes at the end of a log that are searched. */
const MAX_BYTES = 4 * 1024 * 1024

/**
 * Reads the coverage of a finished job from its log: the last number that the pattern of its `coverage:` finds (spec ci
 * 2.2).
 */
export async function readCoverage(ctx: Ctx, jobId: number): Promise<void> {
  const job = jobs.byId(ctx.db, jobId)
  const source = job && store.option<string>(ctx.db, jobId, 'coverage')
  if (!job || !source) return
  const { body } = await readTrace(ctx, job, { start: Math.max(0, job.trace_size - MAX_BYTES) })
  const chunks: Buffer[] = []
  if (Buffer.isBuffer(body)) chunks.push(body)
  else for await (const chunk of body as AsyncIterable<Buffer>) chunks.push(chunk)
  const coverage = await findCoverage(Buffer.concat(chunks).toString(), source)
  if (coverage === null) return
  store.setCoverage(ctx.db, jobId, coverage, ctx.now)
}

/** The limits for a search in the main thread: the lengths of log and pattern, the pattern's program size, and the time. */
const MAX_LOG_LENGTH = 64 * 1024
const MAX_PATTERN_LENGTH = 500
const MAX_PROGRAM_SIZE = 100
const MAX_MS = 30
/** The time limit of the thread in milliseconds. Usual logs and patterns take only a fraction of it. */
const THREAD_MS = 10_000

/**
 * Finds the number for the pattern of a `coverage:` (`lastNumber`), in a separate thread if the search may take long.
 * Null also for an invalid pattern, and if the search takes too long.
 */
async function findCoverage(text: string, source: string): Promise<number | null> {
  if (text.length <= MAX_LOG_LENGTH && source.length <= MAX_PATTERN_LENGTH) {
    const pattern = patternIn(source)
    if (!pattern) return null
    const coverage = pattern.programSize() > MAX_PROGRAM_SIZE ? 'late' : lastNumber(text, pattern, MAX_MS)
    if (coverage !== 'late') return coverage
  }
  return inThread(text, source)
}

/** The messages of the thread. `source` is the pattern. */
export interface CoverageWork {
  readonly task: { readonly text: string; readonly source: string }
  readonly result: number | null
}

async function inThread(text: string, source: string): Promise<number | null> {
  const limits = { memoryMb: 256, timeoutMs: THREAD_MS }
  try {
    return await runInThread<CoverageWork>(
      workerFile(import.meta.url, './coverage'),
      { text, source },
      limits,
    )
  } catch {
    return null
  }
}
