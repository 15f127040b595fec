import type { Ctx } from '../../../ctx.ts'
import type { MergeRequestRow } from '../merge-request.ts'
import { headPipeline } from '../pipelines/store.ts'

/** How the pipeline of the head fares; `none` where there is none, `blocked` where it waits for somebody or its time. */
export type PipelineState = 'none' | 'running' | 'success' | 'failed' | 'canceled' | 'skipped' | 'blocked'

const STATES: Readonly<Record<string, PipelineState>> = {
  success: 'success',
  failed: 'failed',
  canceled: 'canceled',
  skipped: 'skipped',
  manual: 'blocked',
  scheduled: 'blocked',
}

/** The state of what is to succeed before a merge. */
export function headPipelineState(ctx: Pick<Ctx, 'db'>, request: MergeRequestRow): PipelineState {
  const row = headPipeline(ctx.db, request)
  return row === undefined ? 'none' : (STATES[row.status] ?? 'running')
}
