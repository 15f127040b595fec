import { on, type Subscription } from '../../../events/publish.ts'
import { PipelineChanged } from '../../ci/events.ts'
import { projectById } from '../../projects/index.ts'
import { inNameOf } from '../../planning/index.ts'
import { MergeRequestPushed } from '../events.ts'
import { requestAutoMerges } from '../merging/auto-merge.ts'
import * as requests from '../store.ts'
import { pipelineOfVersion } from './create.ts'

export const subscribers: Subscription[] = [
  on(MergeRequestPushed, 'merge_requests.make_pipeline', async (ctx, event) => {
    // Another base for the same commits is nothing new to build.
    if (event.old_head === event.new_head) return
    const request = requests.byId(ctx.db, event.merge_request_id)
    const project = request && projectById(ctx.db, request.project_id)
    // Who pushed is not known where somebody asked about the branch before the push was followed.
    const acting = request && inNameOf(ctx, event.actor_id ?? request.author_id)
    if (!request || !project || !acting || request.head_sha !== event.new_head) return
    await pipelineOfVersion(acting, project, request)
  }),
  on(PipelineChanged, 'merge_requests.auto_merge', (ctx, event) => {
    if (event.status === 'success') requestAutoMerges(ctx, event.project_id, event.sha)
  }),
]
