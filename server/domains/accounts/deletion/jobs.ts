import { z } from 'zod'

import { job, type Job } from '../../../jobs/job.ts'
import { removeAvatar } from '../../storage/index.ts'
import { deleteUser } from './service.ts'

/** Deletes a user whose account has been ended. */
export const deleteUserJob = job(
  'accounts.delete_user',
  { args: { user_id: z.number(), is_hard: z.boolean(), actor_id: z.number().nullable() } },
  async (ctx, { user_id, is_hard, actor_id }) => {
    deleteUser(ctx, user_id, { isHard: is_hard, actor_id })
    await removeAvatar(ctx, 'user', user_id)
  },
)

export const jobs: Job[] = [deleteUserJob]
