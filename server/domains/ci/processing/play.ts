import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import * as jobs from '../jobs/store.ts'
import type { JobRow } from '../jobs/store.ts'
import { isPlayable } from './can.ts'
import { enqueueJob } from './enqueue.ts'
import { processPipeline } from './process.ts'
import { resetAfter } from './reset.ts'
import { retryJob } from './retry.ts'
import { isOver } from './statuses.ts'

/** A variable that whoever starts a job gives to it. */
export interface OwnVariable {
  readonly key: string
  readonly value: string
}

const PURPOSE = 'ci_job_details.own_variables'

/**
 * Starts a job that waits for somebody or for its time, in the name of the actor; one that is over runs again as a new job
 * (spec ci 2.7). Whoever calls it has asked `isPlayable`; a job that is not is answered as it is.
 */
export function playJob(ctx: Ctx, job: Pick<JobRow, 'id'>, variables?: readonly OwnVariable[]): JobRow {
  return tx(ctx.db, () => {
    const row = jobs.byId(ctx.db, job.id)!
    if (!isPlayable(row)) return row
    const again = isOver(row.status) ? retryJob(ctx, row) : undefined
    if (variables && variables.length > 0) giveVariables(ctx, again?.id ?? row.id, variables)
    if (again) return again
    enqueueJob(ctx, row, { user_id: ctx.actor.id ?? row.user_id })
    resetAfter(ctx, row)
    processPipeline(ctx, row.pipeline_id)
    return jobs.byId(ctx.db, row.id)!
  })
}

function giveVariables(ctx: Ctx, jobId: number, variables: readonly OwnVariable[]): void {
  const given = variables.map(({ key, value }) => ({ key, value }))
  ctx.db.exec(
    'UPDATE ci_job_details SET own_variables = ? WHERE job_id = ?',
    ctx.secrets.seal(JSON.stringify(given), PURPOSE),
    jobId,
  )
}
