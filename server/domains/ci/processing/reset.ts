import type { Ctx } from '../../../ctx.ts'
import type { JobRow } from '../jobs/store.ts'
import { changeJob } from './change.ts'
import { byNeeds } from './gate.ts'
import { namesOfNeeds } from './process.ts'
import * as store from './store.ts'

/**
 * Puts what was left out after a job back to the beginning, for the job runs again: jobs of later stages, and jobs that
 * need it or another one that is put back (`process` in spec ci 2.2); where it is `retried`, what waits for somebody there
 * as well. To be called in a transaction, before the pipeline is processed.
 */
export function resetAfter(
  ctx: Ctx,
  job: Pick<JobRow, 'name' | 'pipeline_id' | 'stage_index'>,
  isRetried = false,
): void {
  const names = new Set([job.name])
  const candidates = store
    .skippedOrManual(ctx.db, job.pipeline_id)
    .filter((one) => one.name !== job.name && (isRetried || one.status === 'skipped'))
    .map((one) => ({ row: one, name: one.name, needs: one.needs === null ? [] : namesOfNeeds(one.needs) }))
  for (const { row, name, needs } of byNeeds(candidates)) {
    if (row.stage_index <= job.stage_index && !needs.some((need) => names.has(need))) continue
    names.add(name)
    changeJob(ctx, row, { status: 'created', scheduled_at: null })
  }
}
