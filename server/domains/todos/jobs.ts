import { z } from 'zod'

import type { Ctx } from '../../ctx.ts'
import { cron, enqueue, job, type CronLine, type Job } from '../../jobs/job.ts'
import { usersWithTodos } from './store.ts'
import { removeUnseen } from './service-items.ts'

/** The delay of the check after a user lost access, milliseconds. Many such changes are reverted soon (7.2). */
const CHECK_DELAY_MS = 60 * 60 * 1000

const removeOfUser = job('todos.remove_unseen_of_user', { args: { user_id: z.number() } }, (ctx, args) =>
  removeUnseen(ctx, [args.user_id]),
)

const removeOfProject = job(
  'todos.remove_unseen_of_project',
  { args: { project_id: z.number() } },
  (ctx, { project_id }) => removeUnseen(ctx, usersWithTodos(ctx.db, project_id)),
)

/** Enqueues a check, in an hour, of whether a user, or the users with items in a project, may still see the subjects. */
export function removeLater(ctx: Ctx, target: { user_id: number } | { project_id: number }): void {
  const [kind, id] =
    'user_id' in target ? [removeOfUser, target.user_id] : [removeOfProject, target.project_id]
  enqueue(ctx, kind as Job, target, { once: `${kind.name}:${id}`, delay: CHECK_DELAY_MS })
}

export const jobs: Job[] = [removeOfUser as Job, removeOfProject as Job]

/** A daily check finds users who lost access without an event, such as by the end of a share with their group. */
export const crons: CronLine[] = [
  cron('todos.remove_unseen', '41 3 * * *', (ctx) => removeUnseen(ctx, usersWithTodos(ctx.db))),
]
