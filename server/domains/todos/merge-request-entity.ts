import { entity } from '../../http/entity.ts'
import { singleFields, singleView } from '../merge_requests/entity.ts'
import type { MergeRequestSingleView } from '../merge_requests/index.ts'

const { subscribed: _, ...fields } = singleFields

/** A merge request in a to-do item: as its own answers show it, without whether one is subscribed (spec core 5.1). */
export const TodoMergeRequest = entity('TodoMergeRequest', fields, (view: MergeRequestSingleView, at) => {
  const { subscribed: _left, ...shown } = singleView(view, at)
  return shown
})
