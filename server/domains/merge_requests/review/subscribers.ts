import { on, type Subscription } from '../../../events/publish.ts'
import { MergeRequestPushed } from '../events.ts'
import { movePositions } from './positions/move.ts'

export const subscribers: Subscription[] = [
  // In the order of the versions of one merge request.
  on(MergeRequestPushed, 'review.move_positions', (ctx, event) => movePositions(ctx, event), {
    key: (event) => `review.move_positions:${event.merge_request_id}`,
  }),
]
