import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { rm } from 'node:fs/promises'

import { dataPaths } from '../../config.ts'
import type { Ctx } from '../../ctx.ts'
import { storagesOf } from '../storage/index.ts'
import type { BackupSources } from './snapshot/take.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { BackupChanged } from './events.ts'
import * as store from './store.ts'

/**
 * The suffix of finished backups. The same folder contains copies of the database from before upgrades, as `.db` files.
 */
export const BACKUP_SUFFIX = '.backup'
/** The suffix of a file that is being written. */
export const PARTIAL_SUFFIX = '.part'

/** The folder of backups; created when missing. */
export function backupFolder(dataDir: string): string {
  const { backups } = dataPaths(dataDir)
  mkdirSync(backups, { recursive: true, mode: 0o700 })
  return backups
}

/** An unused file name, such as `deskforge-15.11.13-ee-20261122-121314.backup`. */
export function nameFor(folder: string, version: string, now: string): string {
  const time = now.slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')
  const safeVersion = version.replaceAll(/[^A-Za-z0-9._-]+/g, '_').slice(0, 60)
  for (let attempt = 1; ; attempt++) {
    const name = `deskforge-${safeVersion}-${time}${attempt === 1 ? '' : `-${attempt}`}${BACKUP_SUFFIX}`
    if (!existsSync(join(folder, name)) && !existsSync(join(folder, name + PARTIAL_SUFFIX))) return name
  }
}

/** Names of the files in the folder of backups. */
export function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
}

/** The data that a backup of this instance contains. */
export function sourcesOf(ctx: Pick<Ctx, 'config' | 'db' | 'now'>): BackupSources {
  const { dataDir } = ctx.config
  const storages = storagesOf(ctx).map(({ name, folder }) => ({ name, folder }))
  const mtime = Math.trunc(Date.parse(ctx.now) / 1000)
  return { dataDir, backups: backupFolder(dataDir), storages, mtime }
}

/** Removes all but the `keep` newest backups that this instance created. Uploaded and found backups stay. */
export async function removeOlder(ctx: Ctx, keep: number): Promise<void> {
  for (const row of store.surplus(ctx.db, keep)) await removeBackup(ctx, row)
}

/** Removes a backup and its file. */
export async function removeBackup(ctx: Ctx, row: store.BackupRow): Promise<void> {
  if (row.file !== null) await rm(join(backupFolder(ctx.config.dataDir), row.file), { force: true })
  tx(ctx.db, () => {
    store.remove(ctx.db, row.id)
    publish(ctx, BackupChanged, { backup_id: row.id, state: 'removed', actor_id: ctx.actor.id })
  })
}
