import { z } from 'zod'

import { collectGarbage } from '../../../git/upkeep/collect-garbage.ts'
import { sweepRepository } from '../../../git/upkeep/stale-locks.ts'
import { job, type CronLine, type Job } from '../../../jobs/job.ts'
import { projectById, repoOf } from '../../projects/index.ts'
import { requestStatistics } from '../../repository/index.ts'
import { checkJobs, crons as checkCrons } from './checks.ts'
import { leftoverCrons } from './crons.ts'

/** Packs a repository thoroughly and recalculates its size. */
export const housekeeping = job(
  'maintenance.housekeeping',
  { args: { project_id: z.number() }, retries: 1 },
  async (ctx, { project_id }) => {
    const project = projectById(ctx.db, project_id)
    if (!project || project.repository_state !== 'ready' || project.repository_read_only) return
    const repo = repoOf(ctx, project)
    await sweepRepository(repo)
    await collectGarbage(repo)
    requestStatistics(ctx, project_id)
  },
)

export const jobs: Job[] = [housekeeping, ...checkJobs]

export const crons: CronLine[] = [...checkCrons, ...leftoverCrons]
