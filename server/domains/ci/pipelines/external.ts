import type { Ctx } from '../../../ctx.ts'
import * as store from './store.ts'
import type { PipelineRow } from './store.ts'

/**
 * The pipeline that reports of other systems about a commit on a ref belong to: the newest one, or a new one of their own.
 * To be called in the transaction of the report.
 */
export function pipelineForReports(
  ctx: Ctx,
  place: { readonly project_id: number; readonly sha: string; readonly ref: string },
): PipelineRow {
  return (
    store.latestOf(ctx.db, place) ??
    store.insert(ctx.db, {
      ...place,
      source: 'external',
      status: 'created',
      user_id: ctx.actor.id,
      created_at: ctx.now,
      updated_at: ctx.now,
    })
  )
}
