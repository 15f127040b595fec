import { existsSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

import type { Ctx } from '../../ctx.ts'
import { isoTime } from '../../lib/clock.ts'
import { kindOf, readHeadOf } from './archive/read.ts'
import { backupFolder, BACKUP_SUFFIX, filesIn, PARTIAL_SUFFIX, sourcesOf } from './service-files.ts'
import { dropRestore, lastRestore, noteFirstStart } from './restoring/swap.ts'
import { removeSnapshots } from './snapshot/take.ts'
import * as store from './store.ts'

/**
 * Cleans up after an interrupted instance, and makes the list agree with the folder. Runs at start, before any job.
 */
export async function recoverBackups(ctx: Ctx): Promise<void> {
  const folder = backupFolder(ctx.config.dataDir)
  removeSnapshots(sourcesOf(ctx))
  dropRestore(ctx.config.dataDir, Object.values(ctx.config.storages))
  for (const name of filesIn(folder))
    if (name.endsWith(BACKUP_SUFFIX + PARTIAL_SUFFIX)) rmSync(join(folder, name), { force: true })
  endInterrupted(ctx)
  forgetMissing(ctx, folder)
  await adoptUnlistedFiles(ctx, folder)
}

/**
 * The restored database lists its own backup as running, because the backup contains the moment at which it was
 * created. It was not interrupted.
 */
function endInterrupted(ctx: Ctx): void {
  const isFresh = lastRestore(ctx.config.dataDir)?.is_fresh === true
  for (const row of store.all(ctx.db)) {
    if (row.state !== 'queued' && row.state !== 'running') continue
    if (isFresh) store.remove(ctx.db, row.id)
    else {
      const path = store.ownPath(row)
      if (path !== null) removePart(path)
      const error = 'The instance was stopped while the backup was being made.'
      const ended = { state: 'failed', step: null, error, updated_at: ctx.now, finished_at: ctx.now } as const
      store.update(ctx.db, row.id, ended)
    }
  }
  noteFirstStart(ctx.config.dataDir)
}

function removePart(path: string): void {
  try {
    const folder = join(path, '..')
    for (const name of filesIn(folder))
      if (name.startsWith('deskforge-') && name.endsWith(BACKUP_SUFFIX + PARTIAL_SUFFIX))
        rmSync(join(folder, name), { force: true })
  } catch {
    // The folder is missing, or on a disk that is not mounted.
  }
}

function forgetMissing(ctx: Ctx, folder: string): void {
  for (const row of store.all(ctx.db))
    if (row.file !== null && !existsSync(join(folder, row.file))) store.remove(ctx.db, row.id)
}

/**
 * Adds files of the folder that are not in the database: the database was restored, or a user copied the files there.
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
  const at = head?.created_at ?? isoTime(Math.trunc(mtimeMs))
  store.insert(ctx.db, {
    state: 'finished',
    origin: 'found',
    file,
    size,
    is_sealed: !head,
    version: head?.app_version ?? null,
    head: head ? JSON.stringify(head) : null,
    created_at: at,
    updated_at: at,
    finished_at: isoTime(Math.trunc(mtimeMs)),
  })
}
