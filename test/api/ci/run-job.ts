import { tokenDigest } from '../../../server/lib/security/crypto.ts'
import { finishJob, startJob } from '../../../server/domains/ci/processing/run.ts'
import type { World } from '../../support/world.ts'

let taken = 0

/** Inserts an instance runner. */
export function makeRunner(world: World, description = 'a runner'): number {
  const { db, now } = world.ctx()
  return db.exec(
    `INSERT INTO runners (runner_type, token_digest, short_token, description, created_at, updated_at)
     VALUES ('instance_type', ?, ?, ?, ?, ?)`,
    `digest ${++taken}`,
    `short${taken}`,
    description,
    now,
    now,
  ).id
}

/** Starts a pending job with a runner; returns the job token. */
export function take(world: World, jobId: number, runnerId: number): string {
  const token = `job-token-${++taken}-${jobId}`
  const taking = {
    runner_id: runnerId,
    runner_system_id: null,
    token_digest: tokenDigest(token),
    timeout: 3600,
  }
  if (!startJob(world.ctx(), jobId, taking)) throw new Error(`Job ${jobId} is not pending.`)
  return token
}

/** Starts a pending job with a runner and ends it. */
export function run(
  world: World,
  jobId: number,
  runnerId: number,
  status: 'success' | 'failed' = 'success',
): void {
  take(world, jobId, runnerId)
  finishJob(
    world.ctx(),
    { id: jobId },
    { status, ...(status === 'failed' ? { failure_reason: 'script_failure' } : {}) },
  )
}
