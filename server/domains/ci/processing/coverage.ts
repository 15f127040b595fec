import type { Ctx } from '../../../ctx.ts'
import * as jobs from '../jobs/store.ts'
import { readTrace } from '../traces/read.ts'
import { findApart } from './coverage-apart.ts'
import * as store from './store.ts'

/** The result stands near the end; more of a log is not looked at. */
const MOST_BYTES = 4 * 1024 * 1024

/**
 * Reads the coverage of a job that is over out of its log, by the pattern of its `coverage:`; the last number that the
 * pattern finds counts (spec ci 2.2).
 */
export async function readCoverage(ctx: Ctx, jobId: number): Promise<void> {
  const job = jobs.byId(ctx.db, jobId)
  const given = job && store.option<string>(ctx.db, jobId, 'coverage')
  if (!job || !given) return
  const { body } = await readTrace(ctx, job, { start: Math.max(0, job.trace_size - MOST_BYTES) })
  const parts: Buffer[] = []
  if (Buffer.isBuffer(body)) parts.push(body)
  else for await (const part of body as AsyncIterable<Buffer>) parts.push(part)
  const coverage = await findApart(Buffer.concat(parts).toString(), given)
  if (coverage === null) return
  ctx.db.exec(
    'UPDATE ci_jobs SET coverage = ?, updated_at = ? WHERE id = ? AND coverage IS NOT ?',
    coverage,
    ctx.now,
    jobId,
    coverage,
  )
}
