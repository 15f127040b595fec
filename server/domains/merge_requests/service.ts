import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/facts.ts'
import { fail } from '../../lib/fail.ts'
import { assigneeIdsOf } from '../issuables/index.ts'
import type { Project } from '../projects/index.ts'
import { MergeRequestDeleted } from './events.ts'
import { factOf } from './facts-of.ts'
import type { MergeRequestRow } from './merge-request.ts'
import { canUpdate } from './policy.ts'
import * as store from './store.ts'

export { createMergeRequest, targetOf, type NewRequest } from './create.ts'
export { editMergeRequest, type RequestChanges } from './edit.ts'

/** Throws 403 unless the actor may change this merge request. */
export function checkUpdate(ctx: Ctx, project: Project, request: MergeRequestRow): void {
  const { id } = ctx.actor
  const isAssignee = id !== null && assigneeIdsOf(ctx.db, 'MergeRequest', request.id).includes(id)
  if (!canUpdate(ctx, project, request, isAssignee)) throw fail('forbidden')
}

/** Removes a merge request with all that belongs to it; its refs follow. */
export function deleteMergeRequest(ctx: Ctx, request: MergeRequestRow): void {
  tx(ctx.db, () => {
    store.remove(ctx.db, request.id)
    publish(ctx, MergeRequestDeleted, factOf(ctx, request))
  })
}
