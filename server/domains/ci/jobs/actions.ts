import type { Ctx } from '../../../ctx.ts'
import { fail } from '../../../lib/fail.ts'
import { MAINTAINER } from '../../../policy/levels.ts'
import { project, type Project } from '../../projects/index.ts'
import { eraseJob } from '../artifacts/service.ts'
import { artifactsOf } from '../artifacts/store.ts'
import { maySetVariables } from '../pipelines/creation/policy.ts'
import { isArchived, mayChange } from '../processing/policy.ts'
import { isOver, isPlayable, isRetryable } from '../processing/status.ts'
import { cancelJob } from '../processing/cancel.ts'
import { playJob, retryJob } from '../processing/rerun.ts'
import type { JobRow } from './store.ts'

function checkMay(ctx: Ctx, owner: Project, row: JobRow): void {
  if (!mayChange(ctx, owner, row)) throw fail('forbidden')
}

/**
 * Cancels a job; a job that is over stays as it is. `force` does not wait for what the runner does at the end. Throws 403
 * for protected branches and tags.
 */
export function cancel(ctx: Ctx, owner: Project, row: JobRow, force: boolean): JobRow {
  checkMay(ctx, owner, row)
  const canceled = cancelJob(ctx, row)
  return force && canceled.status === 'canceling' ? cancelJob(ctx, canceled) : canceled
}

/** Runs a job again and returns the new job. Throws 403. */
export function retry(ctx: Ctx, owner: Project, row: JobRow): JobRow {
  checkMay(ctx, owner, row)
  if (!isRetryable(row) || isArchived(ctx, row))
    throw fail('forbidden', '403 Forbidden - Job is not retryable')
  return retryJob(ctx, row)
}

/**
 * Starts a manual or delayed job; a job that ran already runs again as a new one. Throws 400 for other jobs, and 403 for
 * protected refs, archived jobs, and variables in projects where only maintainers may set them.
 */
export function play(
  ctx: Ctx,
  owner: Project,
  row: JobRow,
  variables: readonly { readonly key: string; readonly value: string }[] = [],
): JobRow {
  checkMay(ctx, owner, row)
  if (variables.length > 0 && !maySetVariables(ctx, owner)) throw fail('forbidden')
  if (isArchived(ctx, row)) throw fail('forbidden', '403 Forbidden - Job is archived')
  if (!isPlayable(row)) throw fail('bad_request', '400 Bad request - Unplayable Job')
  return playJob(ctx, row, variables)
}

/** Maintainers may erase all jobs, others those that they ran themselves on a ref that they may change. */
function mayErase(ctx: Ctx, owner: Project, row: JobRow): boolean {
  if (ctx.actor.is_admin || project.roleOf(ctx, owner) >= MAINTAINER) return true
  return row.user_id !== null && row.user_id === ctx.actor.id && mayChange(ctx, owner, row)
}

/** Removes the log and the files of a job that is over. Throws 403. */
export async function erase(ctx: Ctx, owner: Project, row: JobRow): Promise<JobRow> {
  if (!mayErase(ctx, owner, row)) throw fail('forbidden')
  const hasSomething = row.trace_size > 0 || artifactsOf(ctx.db, [row.id]).size > 0
  if (!isOver(row.status) || !hasSomething || row.erased_at !== null)
    throw fail('forbidden', '403 Forbidden - Job is not erasable!')
  return eraseJob(ctx, row)
}
