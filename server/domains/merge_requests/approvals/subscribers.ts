import { on, type Subscription } from '../../../events/publish.ts'
import {
  MergeRequestCreated,
  MergeRequestPushed,
  MergeRequestReopened,
  MergeRequestUpdated,
} from '../events.ts'
import { afterChange } from './reset.ts'

export const subscribers: Subscription[] = [
  on(MergeRequestCreated, 'approvals.ask', (ctx, { merge_request_id, actor_id }) =>
    afterChange(ctx, merge_request_id, '', actor_id),
  ),
  on(MergeRequestReopened, 'approvals.ask_again', (ctx, { merge_request_id, actor_id }) =>
    afterChange(ctx, merge_request_id, '', actor_id),
  ),
  on(MergeRequestPushed, 'approvals.follow_push', (ctx, { merge_request_id, actor_id }) =>
    afterChange(ctx, merge_request_id, 'by pushing to the branch', actor_id),
  ),
  on(MergeRequestUpdated, 'approvals.follow_target', (ctx, { merge_request_id, actor_id, changed }) =>
    changed.includes('target_branch')
      ? afterChange(ctx, merge_request_id, 'by changing the target branch', actor_id)
      : undefined,
  ),
]
