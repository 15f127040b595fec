import { existsSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

import type { Ctx } from '../../ctx.ts'
import { isoTime } from '../../lib/clock.ts'
import { kindOf, readHeadOf } from './archive/read.ts'
import { backupFolder, BACKUP_SUFFIX, filesIn, PARTIAL_SUFFIX, sourcesOf } from './service-files.ts'
import { discardRestore, lastRestore, recordFirstStart } from './restoring/swap.ts'
import { removeSnapshots } from './snapshot/take.ts'
import * as store from './store.ts'

/**
 * Cleans up after an interruption, and updates the list of backups to match the folder. Runs at the start, before any
 * job.
 */
export async function recoverBackups(ctx: Ctx): Promise<void> {
  const folder = backupFolder(ctx.config.dataDir)
  removeSnapshots(sourcesOf(ctx))
  discardRestore(ctx.config.dataDir, Object.values(ctx.config.storages))
  for (const name of filesIn(folder))
    if (name.endsWith(BACKUP_SUFFIX + PARTIAL_SUFFIX)) rmSync(join(folder, name), { force: true })
  endInterrupted(ctx)
  removeRowsWithoutFile(ctx, folder)
  await adoptUnlistedFiles(ctx, folder)
}

/**
 * Records backups as failed that the stop of the instance interrupted. A restored database lists its own backup as
 * running, which was not interrupted, so that row is deleted.
 */
function endInterrupted(ctx: Ctx): void {
  const isFresh = lastRestore(ctx.config.dataDir)?.is_fresh === true
  for (const row of store.all(ctx.db)) {
    if (row.state !== 'queued' && row.state !== 'running') continue
    if (isFresh) store.remove(ctx.db, row.id)
    else {
      const path = store.outsidePath(row)
      if (path !== null) removePartialFiles(path)
      const error = 'The instance was stopped while the backup was being made.'
      const columns = {
        state: 'failed',
        step: null,
        error,
        updated_at: ctx.now,
        finished_at: ctx.now,
      } as const
      store.update(ctx.db, row.id, columns)
    }
  }
  recordFirstStart(ctx.config.dataDir)
}

function removePartialFiles(path: string): void {
  try {
    const folder = join(path, '..')
    for (const name of filesIn(folder))
      if (name.startsWith('deskforge-') && name.endsWith(BACKUP_SUFFIX + PARTIAL_SUFFIX))
        rmSync(join(folder, name), { force: true })
  } catch {
    // The folder is missing, or on a disk that is not mounted.
  }
}

function removeRowsWithoutFile(ctx: Ctx, folder: string): void {
  for (const row of store.all(ctx.db))
    if (row.file !== null && !existsSync(join(folder, row.file))) store.remove(ctx.db, row.id)
}

/**
 * Adds files in the folder that the database does not list, because it was restored or a user copied them there.
 */
async function adoptUnlistedFiles(ctx: Ctx, folder: string): Promise<void> {
  const existing = new Set(store.all(ctx.db).map(({ file }) => file))
  const files = filesIn(folder).filter((name) => name.endsWith(BACKUP_SUFFIX) && !existing.has(name))
  for (const file of files.sort()) {
    try {
      await adopt(ctx, folder, file)
    } catch (error) {
      ctx.log.warn({ err: error, file }, 'a file in the folder of backups is not a backup')
    }
  }
}

async function adopt(ctx: Ctx, folder: string, file: string): Promise<void> {
  const path = join(folder, file)
  const kind = kindOf(path)
  if (kind === 'other') return
  const { size, mtimeMs } = statSync(path)
  const head = kind === 'plain' ? await readHeadOf(path) : undefined
  const created_at = head?.created_at ?? isoTime(Math.trunc(mtimeMs))
  store.insert(ctx.db, {
    state: 'finished',
    origin: 'found',
    file,
    size,
    is_sealed: !head,
    version: head?.app_version ?? null,
    head: head ? JSON.stringify(head) : null,
    created_at,
    updated_at: created_at,
    finished_at: isoTime(Math.trunc(mtimeMs)),
  })
}
