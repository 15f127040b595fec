import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { on, type Subscription } from '../../../events/publish.ts'
import { projectById } from '../../projects/index.ts'
import { RefsUpdated } from '../../repository/events.ts'
import { actingAs } from '../acting.ts'
import { MergeRequestCreated, MergeRequestReopened, MergeRequestUpdated } from '../events.ts'
import { disarm } from '../merging/arming.ts'
import * as requests from '../store.ts'
import { requestFollow } from './jobs.ts'
import { followPush } from './pushes.ts'
import { ensureVersion } from './refresh.ts'
import * as store from './store.ts'

async function makeFirst(ctx: Ctx, id: number): Promise<void> {
  const request = requests.byId(ctx.db, id)
  const project = request && projectById(ctx.db, request.project_id)
  if (project) await ensureVersion(ctx, project, request)
}

/** What was found out, and promised, for the old target says nothing about the new one. */
function followTargetChange(ctx: Ctx, event: { merge_request_id: number; actor_id: number | null }): void {
  tx(ctx.db, () => {
    const request = requests.byId(ctx.db, event.merge_request_id)
    if (!request) return
    store.markUnchecked(ctx.db, [request.id])
    disarm(actingAs(ctx, event.actor_id), request, 'target branch was changed')
    const { merge_request_id, actor_id } = event
    requestFollow(ctx, { merge_request_id, actor_id, rebase: true })
  })
}

export const subscribers: Subscription[] = [
  on(MergeRequestCreated, 'merge_requests.first_version', (ctx, event) =>
    makeFirst(ctx, event.merge_request_id),
  ),
  on(MergeRequestReopened, 'merge_requests.catch_up', (ctx, event) => {
    // Nobody looked at its branches while it was closed.
    store.markUnchecked(ctx.db, [event.merge_request_id])
    requestFollow(ctx, event)
  }),
  on(MergeRequestUpdated, 'merge_requests.new_target', (ctx, event) => {
    if (event.changed.includes('target_branch')) followTargetChange(ctx, event)
  }),
  on(RefsUpdated, 'merge_requests.follow_push', (ctx, event) => followPush(ctx, event)),
]
