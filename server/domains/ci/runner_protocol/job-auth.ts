import { timingSafeEqual } from 'node:crypto'

import type { Ctx } from '../../../ctx.ts'
import { tokenDigest } from '../../../lib/security/crypto.ts'
import { fail, Failure } from '../../../lib/fail.ts'
import { wrongCredential } from '../../auth/index.ts'
import { byId, type JobRow } from '../jobs/store.ts'

/** The header with the status of a job, for its runner (spec ci 1.11). */
export const JOB_STATUS_HEADER = 'Job-Status'

const RUNNING = new Set(['running', 'canceling'])

/** Whether a job with this status is still running on its runner. */
export function isRunning(status: string): boolean {
  return RUNNING.has(status)
}

/** Whether a token belongs to a job. The job need not be running. */
export function isTokenOf(job: Pick<JobRow, 'token_digest'>, token: string): boolean {
  if (job.token_digest === null || token === '') return false
  return timingSafeEqual(Buffer.from(tokenDigest(token)), Buffer.from(job.token_digest))
}

/**
 * Returns a running job for a request with the job's token. Throws 403 with the messages of the runner protocol (spec ci
 * 1.10). It never throws 404, because runners may take that for a network error.
 */
export function runningJob(ctx: Ctx, jobId: number, token: string): JobRow {
  const job = byId(ctx.db, jobId)
  if (!job || !isTokenOf(job, token)) throw wrongCredential(ctx, token, fail('forbidden'))
  if (job.erased_at !== null) throw fail('forbidden', '403 Forbidden - Job has been erased!')
  checkRunning(job)
  return job
}

/** Throws 403 with the status of the job if it is no longer running. */
export function checkRunning(job: JobRow): void {
  if (isRunning(job.status)) return
  throw new Failure('forbidden', '403 Forbidden - Job is not running', {
    headers: { [JOB_STATUS_HEADER]: job.status },
  })
}
