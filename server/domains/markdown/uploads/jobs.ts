import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { addDays } from '../../../lib/clock.ts'
import { removalsOf } from '../../../lib/gate.ts'
import { namesWrittenBefore, ownerFolders, removeIfEmpty } from '../../../lib/owner-folders.ts'
import { cron, job, type CronLine, type Job } from '../../../jobs/job.ts'
import { uploadFolder, uploadPath } from './paths.ts'
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

/** Removes uploads that no row names and that are older than a day, as instances that ended long ago left them. */
export async function removeOrphans(ctx: Ctx): Promise<void> {
  for (const projectId of await ownerFolders(dirname(uploadFolder(ctx.config, 0)))) {
    const folder = uploadFolder(ctx.config, projectId)
    const secrets = await namesWrittenBefore(folder, addDays(ctx.now, -1))
    const known = store.secretsAmong(ctx.db, projectId, secrets)
    for (const secret of secrets.filter((one) => !known.has(one)))
      await removalsOf(ctx.config).pass(() => rm(join(folder, secret), { recursive: true, force: true }))
    await removeIfEmpty(folder)
  }
}

export const jobs: Job[] = [removeUnnoted]

export const crons: CronLine[] = [cron('attachments.remove_orphans', '40 3 * * *', removeOrphans)]
