import { z } from 'zod'

import { cron, job, type CronLine, type Job } from '../../jobs/job.ts'
import { deleteMarked } from './deletion.ts'
import { handleInactive } from './inactive.ts'
import { makeRepository } from './repository.ts'
import { removeExpiredShares } from './sharing.ts'
import { byId } from './store.ts'

/**
 * Finishes a project whose creation was cut off between the row and its repository. Stored together with the row and
 * due a minute later, when the request that made it has long done the work itself; then there is nothing left to do.
 */
export const finishRepository = job(
  'projects.finish_repository',
  {
    args: { project_id: z.number(), initialize_with_readme: z.boolean(), actor_id: z.number().nullable() },
    resumes: true,
  },
  async (ctx, args) => {
    const project = byId(ctx.db, args.project_id)
    if (project?.repository_state === 'pending') await makeRepository(ctx, project, args)
  },
)

export const jobs: Job[] = [finishRepository]

/** Every hour: the settings' delay may be shortened at any time. */
export const crons: CronLine[] = [
  cron('projects.delete_marked', '23 * * * *', deleteMarked),
  cron('projects.handle_inactive', '41 2 * * *', handleInactive),
  cron('projects.remove_expired_shares', '7 0 * * *', removeExpiredShares),
]
