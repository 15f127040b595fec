import type { Ctx } from '../../ctx.ts'
import type { MergeRequestRow } from './merge-request.ts'

/** What events about a merge request always say. */
export function eventOf(ctx: Ctx, request: Pick<MergeRequestRow, 'id' | 'iid' | 'project_id'>) {
  const { id, iid, project_id } = request
  return { merge_request_id: id, iid, project_id, actor_id: ctx.actor.id }
}
