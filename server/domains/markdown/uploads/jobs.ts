import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'

import { removalsOf } from '../../../lib/gate.ts'
import { job, type Job } from '../../../jobs/job.ts'
import { uploadPath } from './paths.ts'
import * as store from './store.ts'

/** A request that outlives this has failed. */
export const LOOK_AFTER_MS = 60_000

/**
 * Removes a file that was put at its place and never noted, because the instance was killed in between. One that was noted has
 * taken its job with it.
 */
export const removeUnnoted = job(
  'attachments.remove_unnoted',
  { args: { project_id: z.number(), secret: z.string(), file_name: z.string() }, resumes: true },
  async (ctx, upload) => {
    if (store.bySecret(ctx.db, upload.project_id, upload)) return
    const folder = dirname(uploadPath(ctx.config, upload))
    await removalsOf(ctx.config).pass(() => rm(folder, { recursive: true, force: true }))
  },
)

export const jobs: Job[] = [removeUnnoted]
