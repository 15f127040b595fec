import { on, type Subscription } from '../../../events/publish.ts'
import { tx } from '../../../db/database.ts'
import { NoteUpdated } from '../../discussions/notes/events.ts'
import { actingAs } from '../acting.ts'
import {
  MergeRequestApproved,
  MergeRequestClosed,
  MergeRequestPushed,
  MergeRequestUpdated,
} from '../events.ts'
import * as store from '../store.ts'
import { disarm } from './arming.ts'
import { requestAutoMerge } from './auto-merge.ts'
import { requestCheck } from './status.ts'

export const subscribers: Subscription[] = [
  // Soon somebody will ask.
  on(MergeRequestPushed, 'merge_requests.check_version', (ctx, event) => {
    const request = store.byId(ctx.db, event.merge_request_id)
    if (request) requestCheck(ctx, request)
  }),
  // What stood in the way of a promised merge may be gone.
  on(MergeRequestApproved, 'merge_requests.auto_merge_approved', (ctx, event) =>
    requestAutoMerge(ctx, event.merge_request_id),
  ),
  on(MergeRequestUpdated, 'merge_requests.auto_merge_updated', (ctx, event) => {
    if (event.changed.includes('title')) requestAutoMerge(ctx, event.merge_request_id)
  }),
  on(NoteUpdated, 'merge_requests.auto_merge_resolved', (ctx, event) => {
    const isOurs = event.noteable_type === 'MergeRequest' && event.noteable_id !== null
    if (isOurs && event.changed.includes('resolved_at')) requestAutoMerge(ctx, event.noteable_id!)
  }),
  on(MergeRequestClosed, 'merge_requests.call_auto_merge_off', (ctx, event) => {
    tx(ctx.db, () => {
      const request = store.byId(ctx.db, event.merge_request_id)
      if (request?.state !== 'closed') return
      disarm(actingAs(ctx, event.actor_id), request, 'merge request was closed')
    })
  }),
]
