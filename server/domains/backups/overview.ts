import { stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'

import type { Ctx } from '../../ctx.ts'
import { deskOf } from './desk.ts'
import { backupFolder, ENDING, filesIn } from './files.ts'
import { lastRestore } from './restoring/swap.ts'
import { scheduleOf } from './schedule.ts'

/** What stands beside the list of backups. */
export async function overview(ctx: Ctx) {
  const folder = backupFolder(ctx.config.dataDir)
  const disk = await statfs(folder)
  return {
    folder,
    free: disk.bavail * disk.bsize,
    used: await sizeOfAll(folder),
    schedule: scheduleOf(ctx),
    restore: deskOf(ctx).restoring,
    last_restore: lastRestore(ctx.config.dataDir),
  }
}

async function sizeOfAll(folder: string): Promise<number> {
  const names = filesIn(folder).filter((name) => name.endsWith(ENDING))
  const found = await Promise.all(names.map((name) => stat(join(folder, name)).catch(() => undefined)))
  return found.reduce((sum, one) => sum + (one?.size ?? 0), 0)
}
