import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { BackupChanged } from '../events.ts'
import { backupFolder } from '../files.ts'
import * as store from '../store.ts'

/** Removes backups that were made here, beyond the newest ones. Uploaded and found ones are nobody's to count. */
export async function keepNewest(ctx: Ctx, keep: number): Promise<void> {
  for (const row of store.beyond(ctx.db, keep)) await removeBackup(ctx, row)
}

/** Removes a backup and its file. */
export async function removeBackup(ctx: Ctx, row: store.BackupRow): Promise<void> {
  if (row.file !== null) await rm(join(backupFolder(ctx.config.dataDir), row.file), { force: true })
  tx(ctx.db, () => {
    store.remove(ctx.db, row.id)
    publish(ctx, BackupChanged, { backup_id: row.id, state: 'removed', actor_id: ctx.actor.id })
  })
}
