import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { fail } from '../../../lib/fail.ts'
import { byId, type JobRow } from '../jobs/store.ts'
import { cancelJob, finishJob, startJob } from '../processing/run.ts'
import { appendTrace } from '../traces/service.ts'

/** The result and the log of a job that was run without a runner. */
export interface RecordedRun {
  readonly status: 'success' | 'failed' | 'running' | 'canceled'
  readonly log: string
  readonly exit_code: number
}

/** The timeout in seconds of a recorded job that stays running. */
const TIMEOUT = 3600

/**
 * Starts and ends a pending job with a recorded result, in one transaction. The times are those of the two contexts. With
 * the status `running` the job stays running. Throws 409 if the job is not pending.
 */
export function runRecorded(startCtx: Ctx, endCtx: Ctx, jobId: number, recorded: RecordedRun): JobRow {
  return tx(endCtx.db, () => record(startCtx, endCtx, jobId, recorded))
}

function record(startCtx: Ctx, endCtx: Ctx, jobId: number, recorded: RecordedRun): JobRow {
  const columns = { runner_id: null, runner_system_id: null, token_digest: null, timeout: TIMEOUT }
  const job = startJob(startCtx, jobId, columns)
  if (!job) throw fail('conflict', 'The job is not pending.')
  appendTrace(endCtx, job, 0, Buffer.from(recorded.log, 'utf8'))
  const { status, exit_code } = recorded
  if (status === 'running') return job
  if (status === 'canceled') return cancelJob(endCtx, job)
  const failure_reason = status === 'failed' ? 'script_failure' : null
  return finishJob(endCtx, byId(endCtx.db, jobId)!, { status, failure_reason, exit_code })
}
