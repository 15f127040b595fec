import { z } from 'zod'

import { removeRepository } from '../../../git/repository.ts'
import { job } from '../../../jobs/job.ts'
import { repoOf } from '../../projects/index.ts'

/** Removes a repository that nothing in the database names any more. */
export const removeLeftRepository = job(
  'accounts.remove_repository',
  { args: { disk_path: z.string() } },
  (ctx, { disk_path }) => removeRepository(repoOf(ctx, { disk_path })),
)
