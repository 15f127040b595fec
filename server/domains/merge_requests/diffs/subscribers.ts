import type { Ctx } from '../../../ctx.ts'
import { on, type Subscription } from '../../../events/facts.ts'
import { projectById } from '../../projects/index.ts'
import { RefsUpdated } from '../../repository/events.ts'
import { MergeRequestCreated, MergeRequestReopened, MergeRequestUpdated } from '../events.ts'
import * as requests from '../store.ts'
import { requestFollow } from './jobs.ts'
import { followPush } from './pushes.ts'
import { ensureVersion } from './refresh.ts'

async function makeFirst(ctx: Ctx, id: number): Promise<void> {
  const request = requests.byId(ctx.db, id)
  const project = request && projectById(ctx.db, request.project_id)
  if (project) await ensureVersion(ctx, project, request)
}

export const subscribers: Subscription[] = [
  on(MergeRequestCreated, 'merge_requests.first_version', (ctx, fact) =>
    makeFirst(ctx, fact.merge_request_id),
  ),
  on(MergeRequestReopened, 'merge_requests.catch_up', (ctx, fact) => requestFollow(ctx, fact)),
  on(MergeRequestUpdated, 'merge_requests.new_target', (ctx, fact) => {
    if (fact.changed.includes('target_branch')) requestFollow(ctx, { ...fact, rebase: true })
  }),
  on(RefsUpdated, 'merge_requests.follow_push', (ctx, fact) => followPush(ctx, fact)),
]
