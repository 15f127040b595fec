import { z } from 'zod'

import { job, type Job, enqueue } from '../../../jobs/job.ts'
import { removeAvatar } from '../../storage/index.ts'
import { deleteUser, type DeletionKind } from './service.ts'
import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { isLastAdmin, type UserRow } from '../../users/index.ts'
import * as store from '../store.ts'
import { fail } from '../../../lib/fail.ts'
import { changeState } from '../states/change.ts'

/** Deletes a user and their avatar in the background. */
export const deleteUserJob = job(
  'accounts.delete_user',
  { args: { user_id: z.number(), is_hard: z.boolean(), actor_id: z.number().nullable() } },
  async (ctx, { user_id, is_hard, actor_id }) => {
    deleteUser(ctx, user_id, { isHard: is_hard, actor_id })
    await removeAvatar(ctx, 'user', user_id)
  },
)

export const jobs: Job[] = [deleteUserJob]

/**
 * Blocks an account and deletes it in the background. Throws 409 for the only administrator, and for the only owner
 * of a group unless the deletion is hard; 403 for internal users.
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
