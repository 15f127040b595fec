import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { fail } from '../../../lib/fail.ts'
import { byId, type JobRow } from '../jobs/store.ts'
import { cancelJob, finishJob, startJob } from '../processing/run.ts'
import { appendTrace } from '../traces/service.ts'

/** The result and the log of a job that no runner runs. */
export interface Recorded {
  readonly status: 'success' | 'failed' | 'running' | 'canceled'
  readonly log: string
  readonly exit_code: number
}

/** The timeout of a recorded job that stays running, in seconds. */
const TIMEOUT = 3600

/**
 * Starts and ends a pending job as a runner would, at the times of the two contexts, in one transaction. `running`
 * leaves it running. Throws 409 for a job that is not pending.
 */
export function runRecorded(started: Ctx, ended: Ctx, jobId: number, recorded: Recorded): JobRow {
  return tx(ended.db, () => record(started, ended, jobId, recorded))
}

function record(started: Ctx, ended: Ctx, jobId: number, recorded: Recorded): JobRow {
  const taking = { runner_id: null, runner_system_id: null, token_digest: null, timeout: TIMEOUT }
  const job = startJob(started, jobId, taking)
  if (!job) throw fail('conflict', 'The job is not pending.')
  appendTrace(ended, job, 0, Buffer.from(recorded.log, 'utf8'))
  const { status, exit_code } = recorded
  if (status === 'running') return job
  if (status === 'canceled') return cancelJob(ended, job)
  const failure_reason = status === 'failed' ? 'script_failure' : null
  return finishJob(ended, byId(ended.db, jobId)!, { status, failure_reason, exit_code })
}
