import type { Ctx } from '../../../ctx.ts'
import { publish } from '../../../events/publish.ts'
import { columnChanges } from '../../../lib/column-changes.ts'
import { issuableOf, recordState } from '../../planning/index.ts'
import type { Project } from '../../projects/index.ts'
import { freezeApprovals } from '../approvals/state.ts'
import { MergeRequestMerged } from '../events.ts'
import { eventOf } from '../service-events.ts'
import type { MergeRequestRow } from '../merge-request.ts'
import * as store from '../store.ts'
import { closeIssues } from './close-issues.ts'
import { requestRemoval } from './source-branch.ts'

/** Which commits a merge made. */
export interface MergeShas {
  readonly merge_commit_sha: string | null
  readonly squash_commit_sha: string | null
}

/**
 * Records that a merge request is merged, with all that follows from it: approvals are kept as they are, issues close,
 * the source branch goes where that was wanted. To be called in a transaction; `ctx` acts for whoever merged.
 */
export function completeMerge(
  ctx: Ctx,
  project: Project,
  request: MergeRequestRow,
  shas: MergeShas,
): MergeRequestRow {
  freezeApprovals(ctx, request)
  const merged = store.update(ctx.db, request.id, {
    ...shas,
    state: 'merged',
    merged_at: ctx.now,
    merge_user_id: ctx.actor.id,
    merge_status: 'can_be_merged',
    merge_error: null,
    merge_params: null,
    merge_when_pipeline_succeeds: false,
    rebase_in_progress: false,
    updated_at: ctx.now,
    updated_by_id: ctx.actor.id,
  })
  recordState(ctx, issuableOf('MergeRequest', merged), 'merged')
  const changes = columnChanges(request, merged)
  publish(ctx, MergeRequestMerged, { ...eventOf(ctx, merged), ...shas, changes })
  closeIssues(ctx, project, merged)
  requestRemoval(ctx, merged)
  return merged
}
