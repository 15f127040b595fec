import { on, type Subscription } from '../../../events/facts.ts'
import { MergeRequestPushed } from '../events.ts'
import { movePositions } from './positions/move.ts'

export const subscribers: Subscription[] = [
  // In the order of the versions of one merge request.
  on(MergeRequestPushed, 'review.move_positions', (ctx, fact) => movePositions(ctx, fact), {
    key: (fact) => `review.move_positions:${fact.merge_request_id}`,
  }),
]
