import type { Ctx } from '../../../ctx.ts'
import { latestStatus } from '../../statuses/index.ts'
import type { MergeRequestRow } from '../merge-request.ts'

/** How the pipeline of the head commit fares; `none` where there is none. */
export type PipelineState = 'none' | 'running' | 'success' | 'failed' | 'canceled' | 'skipped'

/**
 * The state of what is to succeed before a merge. The instance runs no pipelines yet, so it is what other systems
 * reported about the head commit, in the project that is merged into or in the one that it comes from.
 */
export function headPipelineState(
  ctx: Pick<Ctx, 'db'>,
  request: Pick<MergeRequestRow, 'project_id' | 'source_project_id' | 'head_sha'>,
): PipelineState {
  const { head_sha: head } = request
  if (head === null) return 'none'
  const places = new Set([request.source_project_id ?? request.project_id, request.project_id])
  for (const place of places) {
    const word = latestStatus(ctx.db, place, [head]).get(head)
    if (word !== undefined) return word === 'pending' ? 'running' : word
  }
  return 'none'
}
