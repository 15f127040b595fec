import type { Ctx } from '../../../ctx.ts'
import { on, type Subscription } from '../../../events/publish.ts'
import { stopEnvironmentsOf } from '../../ci/index.ts'
import { inNameOf } from '../../planning/index.ts'
import { projectById } from '../../projects/index.ts'
import { MergeRequestClosed, MergeRequestMerged } from '../events.ts'
import * as store from '../store.ts'

/** What the pipelines of a merge request brought up is not needed any more once it is done with (spec ci 5.3). */
function stopEnvironments(
  ctx: Ctx,
  event: { readonly merge_request_id: number; readonly actor_id: number | null },
): void {
  const request = store.byId(ctx.db, event.merge_request_id)
  const acting = inNameOf(ctx, event.actor_id)
  // It may be open again by now.
  if (!request || !acting || request.state === 'opened') return
  const ids = new Set([request.project_id, request.source_project_id ?? request.project_id])
  for (const id of ids) {
    const project = projectById(ctx.db, id)
    if (project) stopEnvironmentsOf(acting, project, { merge_request_id: request.id })
  }
}

export const subscribers: Subscription[] = [
  on(MergeRequestMerged, 'merge_requests.stop_environments_merged', stopEnvironments),
  on(MergeRequestClosed, 'merge_requests.stop_environments_closed', stopEnvironments),
]
