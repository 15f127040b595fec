import { timingSafeEqual } from 'node:crypto'

import type { Ctx } from '../../../ctx.ts'
import { tokenDigest } from '../../../lib/security/crypto.ts'
import { fail, Failure } from '../../../lib/fail.ts'
import { wrongCredential } from '../../auth/index.ts'
import { byId, type JobRow } from '../jobs/store.ts'

/** Header with the status of the job, for its runner (spec ci 1.11). */
export const JOB_STATUS_HEADER = 'Job-Status'

const ALIVE = new Set(['running', 'canceling'])

/** True for the status of a job that its runner still works on. */
export function isAlive(status: string): boolean {
  return ALIVE.has(status)
}

/** True if the token belongs to the job, whether or not the job is running. */
export function isTokenOf(job: Pick<JobRow, 'token_digest'>, token: string): boolean {
  if (job.token_digest === null || token === '') return false
  return timingSafeEqual(Buffer.from(tokenDigest(token)), Buffer.from(job.token_digest))
}

/**
 * Returns the running job of a runner's request, by its token. Throws 403 with the messages of the runner protocol (spec ci
 * 1.10), never 404, which a runner could take for a network error.
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
  if (isAlive(job.status)) return
  throw new Failure('forbidden', '403 Forbidden - Job is not running', {
    headers: { [JOB_STATUS_HEADER]: job.status },
  })
}
