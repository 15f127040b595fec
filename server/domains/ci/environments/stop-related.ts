import type { Ctx } from '../../../ctx.ts'
import { isAble } from '../../../policy/ability.ts'
import { project as projectScope, type Project } from '../../projects/index.ts'
import { abilities } from './policy.ts'
import { stopAll } from './stop.ts'
import * as store from './store.ts'

/** What environments were for: a branch that is gone, or a merge request that is merged or closed. */
export type Purpose = { readonly ref: string } | { readonly merge_request_id: number }

/**
 * Stops the environments of a branch or merge request that is done with (spec ci 5.3), in the name of the actor; nothing
 * happens where they may not stop environments.
 */
export function stopEnvironmentsOf(ctx: Ctx, project: Project, purpose: Purpose): void {
  if (!isAble(ctx, projectScope, abilities.stop_environment, project, true)) return
  const rows =
    'ref' in purpose
      ? store.availableOfBranch(ctx.db, project.id, purpose.ref)
      : store.availableOfMergeRequest(ctx.db, project.id, purpose.merge_request_id)
  stopAll(ctx, rows)
}
