import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { enqueue } from '../../../jobs/job.ts'
import { fail } from '../../../lib/fail.ts'
import { isLastAdmin, type UserRow } from '../../users/index.ts'
import { changeState } from '../states/change.ts'
import { deleteUserJob } from './jobs.ts'
import type { DeletionKind } from './service.ts'
import * as store from './store.ts'

/**
 * Ends an account at once and deletes it in the background. Throws 409 for the only owner of a group, unless everything
 * goes with them, and for the only administrator; 403 for users of the instance.
 */
export function scheduleDeletion(ctx: Ctx, user: UserRow, { isHard }: DeletionKind): void {
  if (user.kind === 'ghost') throw fail('forbidden', '403 Forbidden - An internal user cannot be removed')
  if (isLastAdmin(ctx.db, user)) throw fail('conflict', 'The only administrator cannot be removed')
  tx(ctx.db, () => {
    if (!isHard && store.soleOwnedGroups(ctx.db, user.id).length > 0)
      throw fail('conflict', 'User cannot be removed while is the sole-owner of a group')
    if (user.state !== 'blocked') changeState(ctx, user, 'blocked')
    const args = { user_id: user.id, is_hard: isHard, actor_id: ctx.actor.id }
    enqueue(ctx, deleteUserJob, args, { key: `user:${user.id}` })
  })
}
