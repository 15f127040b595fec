import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { job, type Job } from '../../../jobs/job.ts'
import { cloneIntoProject } from '../imports/clone.ts'
import { projectById, repoOf } from '../../projects/index.ts'
import { copyLfsLinks } from '../../storage/index.ts'

/** Copies the repository of a project into its new fork. */
export const copyFork = job(
  'forks.copy_repository',
  { args: { project_id: z.number(), source_id: z.number() } },
  (ctx, args) => copyRepository(ctx, args.project_id, args.source_id),
)

export const jobs: Job[] = [copyFork]

/** Copies the branches and tags of a project with their commits into its fork, and the links to LFS objects. */
export async function copyRepository(ctx: Ctx, projectId: number, sourceId: number): Promise<void> {
  await cloneIntoProject(ctx, projectId, async () => {
    const source = projectById(ctx.db, sourceId)
    if (!source) throw new Error('fatal: The source project no longer exists.')
    const repo = repoOf(ctx, source)
    // A getter, because a storage move may change the path before the copy starts.
    const location = {
      get path() {
        return repo.gitDir
      },
    }
    return { source: location, head: source.default_branch }
  })
  if (projectById(ctx.db, projectId)) await copyLfsLinks(ctx, sourceId, projectId)
}
