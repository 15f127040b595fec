import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import type { Ctx } from '../../ctx.ts'
import { cron, job, type CronLine, type Job } from '../../jobs/job.ts'
import { addDays } from '../../lib/clock.ts'
import { namesWrittenBefore, ownerFolders, removeIfEmpty } from '../../lib/files/folders.ts'
import { removalsOf } from '../../lib/gate.ts'
import { removeOrphans, removeUnreferred } from './lfs/objects.ts'
import { avatarFolder, removeOtherAvatars } from './uploads/files.ts'
import { avatarOf } from './uploads/store.ts'

/** The delay of the cleanup after an upload. A request that takes longer has failed. */
export const TIDY_DELAY_MS = 60_000

const KINDS = ['user', 'group', 'project', 'topic'] as const

/**
 * Removes all pictures of an owner except the one that its row names. An interruption between the write of the file and
 * the write of the row leaves a file too many. The request withdraws this job when it has written both.
 */
export const tidyAvatars = job(
  'uploads.tidy_avatars',
  { args: { kind: z.enum(KINDS), id: z.number() }, resumes: true },
  (ctx, owner) => removeOtherAvatars(ctx.config, owner, avatarOf(ctx.db, owner)),
)

/** Removes pictures that no row names and that are older than a day; a crash may leave some. */
export async function removeOrphanedAvatars(ctx: Ctx): Promise<void> {
  for (const kind of KINDS) {
    for (const id of await ownerFolders(dirname(avatarFolder(ctx.config, kind, 0)))) {
      const folder = avatarFolder(ctx.config, kind, id)
      for (const name of await namesWrittenBefore(folder, addDays(ctx.now, -1))) {
        if (name === avatarOf(ctx.db, { kind, id })) continue
        await removalsOf(ctx.config).pass(() => rm(join(folder, name), { recursive: true, force: true }))
      }
      await removeIfEmpty(folder)
    }
  }
}

export const jobs: Job[] = [tidyAvatars]

export const crons: CronLine[] = [
  cron('uploads.remove_orphaned_avatars', '45 3 * * *', removeOrphanedAvatars),
  cron('lfs.remove_unreferred', '25 4 * * *', removeUnreferred),
  cron('lfs.remove_orphans', '55 4 * * 0', removeOrphans),
]
