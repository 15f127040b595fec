import { z } from 'zod'

import type { Ctx } from '../../ctx.ts'
import { cron, enqueue, job, type CronLine, type Job } from '../../jobs/job.ts'
import { removeUnseen, usersWithTodos } from './unseen.ts'

/** Who lost the sight of something gets an hour, for many a change is taken back at once (7.2). */
const PAUSE = 60 * 60 * 1000

const removeOfUser = job('todos.remove_unseen_of_user', { args: { user_id: z.number() } }, (ctx, args) =>
  removeUnseen(ctx, [args.user_id]),
)

const removeOfProject = job(
  'todos.remove_unseen_of_project',
  { args: { project_id: z.number() } },
  (ctx, { project_id }) => removeUnseen(ctx, usersWithTodos(ctx, project_id)),
)

/** Looks in an hour whether a user, or users with items in a project, still may see what their items are about. */
export function removeLater(ctx: Ctx, of: { user_id: number } | { project_id: number }): void {
  const [kind, id] = 'user_id' in of ? [removeOfUser, of.user_id] : [removeOfProject, of.project_id]
  enqueue(ctx, kind as Job, of, { once: `${kind.name}:${id}`, delay: PAUSE })
}

export const jobs: Job[] = [removeOfUser as Job, removeOfProject as Job]

/** What no event tells of, as the end of a membership of somebody's group, is found once a day. */
export const crons: CronLine[] = [
  cron('todos.remove_unseen', '41 3 * * *', (ctx) => removeUnseen(ctx, usersWithTodos(ctx))),
]
