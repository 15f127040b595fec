import { z } from 'zod'

import { removeRepository, withWriteLock } from '../../git/upkeep/repository.ts'
import { cron, job, type CronLine, type Job } from '../../jobs/job.ts'
import { deleteMarked, handleInactive } from './lifecycle/deletion.ts'
import { finishPendingRepository, repoOf } from './repository/repository.ts'
import { removeExpiredShares } from './people/service.ts'
import { byId } from './store.ts'

/**
 * Deletes the repository of a project without a row, after an interrupted creation. The job is enqueued before the
 * repository is created, and canceled when the row is inserted.
 */
export const removeOrphanedRepository = job(
  'projects.remove_unmade',
  {
    args: { project_id: z.number(), repository_storage: z.string(), disk_path: z.string() },
    resumes: true,
  },
  async (ctx, { project_id, ...location }) => {
    const repo = repoOf(ctx, location)
    // The creating request holds the lock until the row exists, or everything is removed.
    await withWriteLock(repo, async () => {
      if (!byId(ctx.db, project_id)) await removeRepository(repo)
    })
  },
)

/**
 * Creates the missing repository of a project: earlier releases inserted the row before they created the repository.
 */
export const finishRepository = job(
  'projects.finish_repository',
  {
    args: { project_id: z.number(), initialize_with_readme: z.boolean(), actor_id: z.number().nullable() },
    resumes: true,
  },
  async (ctx, args) => {
    const project = byId(ctx.db, args.project_id)
    if (project?.repository_state === 'pending') await finishPendingRepository(ctx, project, args)
  },
)

export const jobs: Job[] = [removeOrphanedRepository, finishRepository]

/** The deletion of marked projects runs every hour, because an administrator may shorten the delay at any time. */
export const crons: CronLine[] = [
  cron('projects.delete_marked', '23 * * * *', deleteMarked),
  cron('projects.handle_inactive', '41 2 * * *', handleInactive),
  cron('projects.remove_expired_shares', '7 0 * * *', removeExpiredShares),
]
