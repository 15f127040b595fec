import { on, type Subscription } from '../../../events/facts.ts'
import { PipelineChanged } from '../../ci/events.ts'
import { projectById } from '../../projects/index.ts'
import { inNameOf } from '../../planning/index.ts'
import { MergeRequestPushed } from '../events.ts'
import { requestAutoMerges } from '../merging/auto-merge.ts'
import * as requests from '../store.ts'
import { pipelineOfVersion } from './create.ts'

export const subscribers: Subscription[] = [
  on(MergeRequestPushed, 'merge_requests.make_pipeline', async (ctx, fact) => {
    // Another base for the same commits is nothing new to build.
    if (fact.old_head === fact.new_head) return
    const request = requests.byId(ctx.db, fact.merge_request_id)
    const project = request && projectById(ctx.db, request.project_id)
    // Who pushed is not known where somebody asked about the branch before the push was followed.
    const acting = request && inNameOf(ctx, fact.actor_id ?? request.author_id)
    if (!request || !project || !acting || request.head_sha !== fact.new_head) return
    await pipelineOfVersion(acting, project, request)
  }),
  on(PipelineChanged, 'merge_requests.auto_merge', (ctx, fact) => {
    if (fact.status === 'success') requestAutoMerges(ctx, fact.project_id, fact.sha)
  }),
]
