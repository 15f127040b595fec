import type { Ctx } from '../../../ctx.ts'
import { fail } from '../../../lib/fail.ts'
import type { JobRow } from '../jobs/store.ts'
import { finishJob } from '../processing/run.ts'
import { failureReason } from './failure-reasons.ts'
import * as store from './store.ts'

/** What a runner says of a job that it runs. */
export interface Update {
  readonly state: string
  readonly failure_reason?: string | undefined
  readonly exit_code?: number | undefined
  /** Of the whole log, `crc32:` and eight hex digits. */
  readonly checksum?: string | undefined
}

/**
 * Takes what a runner says of its job: that it is at it, or how it ended (spec ci 1.10). Throws 400 for other states. A log
 * that is not the one that the runner wrote is noted when it becomes a file; nothing can be done about it then.
 */
export function updateJob(
  ctx: Ctx,
  job: JobRow,
  { state, failure_reason, exit_code, checksum }: Update,
): JobRow {
  if (state === 'running') {
    store.noteHeartbeat(ctx.db, job.id, ctx.now)
    return job
  }
  if (state !== 'success' && state !== 'failed') throw fail('bad_request')
  if (checksum !== undefined) store.noteChecksum(ctx.db, job.id, checksum)
  return finishJob(ctx, job, {
    status: state,
    exit_code: exit_code ?? null,
    ...(state === 'failed' ? { failure_reason: failureReason(failure_reason) } : {}),
  })
}
