import { dirname, join } from 'node:path'
import { rm } from 'node:fs/promises'

import type { Ctx } from '../../../ctx.ts'
import { cron, type CronLine, type Job } from '../../../jobs/job.ts'
import { addDays } from '../../../lib/clock.ts'
import { removalsOf } from '../../../lib/gate.ts'
import { namesWrittenBefore, ownerFolders, removeIfEmpty } from '../../../lib/files/folders.ts'
import { removeUnrecorded, uploadFolder } from './service.ts'
import * as store from './store.ts'

/** Deletes uploaded files that have no row and are older than a day. */
export async function removeOrphans(ctx: Ctx): Promise<void> {
  for (const projectId of await ownerFolders(dirname(uploadFolder(ctx.config, 0)))) {
    const folder = uploadFolder(ctx.config, projectId)
    const secrets = await namesWrittenBefore(folder, addDays(ctx.now, -1))
    const existing = store.secretsAmong(ctx.db, projectId, secrets)
    for (const secret of secrets.filter((entry) => !existing.has(entry)))
      await removalsOf(ctx.config).pass(() => rm(join(folder, secret), { recursive: true, force: true }))
    await removeIfEmpty(folder)
  }
}

export const jobs: Job[] = [removeUnrecorded]

export const crons: CronLine[] = [cron('attachments.remove_orphans', '40 3 * * *', removeOrphans)]
