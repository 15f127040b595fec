import { z } from 'zod'

import type { Ctx } from '../../ctx.ts'
import { cron, enqueue, job, type CronLine, type Job } from '../../jobs/job.ts'
import { usersWithTodos } from './store.ts'
import { removeUnseen } from './service-items.ts'

/** Items stay for an hour after a user lost access, because many such changes are reverted soon (7.2). */
const PAUSE = 60 * 60 * 1000

const removeOfUser = job('todos.remove_unseen_of_user', { args: { user_id: z.number() } }, (ctx, args) =>
  removeUnseen(ctx, [args.user_id]),
)

const removeOfProject = job(
  'todos.remove_unseen_of_project',
  { args: { project_id: z.number() } },
  (ctx, { project_id }) => removeUnseen(ctx, usersWithTodos(ctx.db, project_id)),
)

/** Checks in an hour whether a user, or the users with items in a project, may still see the subjects of their items. */
export function removeLater(ctx: Ctx, of: { user_id: number } | { project_id: number }): void {
  const [kind, id] = 'user_id' in of ? [removeOfUser, of.user_id] : [removeOfProject, of.project_id]
  enqueue(ctx, kind as Job, of, { once: `${kind.name}:${id}`, delay: PAUSE })
}

export const jobs: Job[] = [removeOfUser as Job, removeOfProject as Job]

/** A daily check finds losses of access without an event, such as the end of a share with a user's group. */
export const crons: CronLine[] = [
  cron('todos.remove_unseen', '41 3 * * *', (ctx) => removeUnseen(ctx, usersWithTodos(ctx.db))),
]
