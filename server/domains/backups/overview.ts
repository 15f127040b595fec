import { statfs } from 'node:fs/promises'

import type { Ctx } from '../../ctx.ts'
import { deskOf } from './desk.ts'
import { backupFolder } from './files.ts'
import { lastRestore } from './restoring/swap.ts'
import { scheduleOf } from './schedule.ts'
import * as store from './store.ts'

/** What stands beside the list of backups. */
export async function overview(ctx: Ctx) {
  const folder = backupFolder(ctx.config.dataDir)
  const disk = await statfs(folder)
  return {
    folder,
    free: disk.bavail * disk.bsize,
    used: store.all(ctx.db).reduce((sum, { size, file }) => sum + (file === null ? 0 : (size ?? 0)), 0),
    schedule: scheduleOf(ctx),
    restore: deskOf(ctx).restoring,
    last_restore: lastRestore(ctx.config.dataDir),
  }
}
