import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { enqueue } from '../../jobs/job.ts'
import { cancelRun } from '../../jobs/runs.ts'
import { keepFile } from '../../lib/files/durable-file.ts'
import { fail, notFound } from '../../lib/fail.ts'
import { readHeadOf, kindOf } from './archive/read.ts'
import { changeBackup, runName, runningOf } from './service-running.ts'
import { BackupChanged } from './events.ts'
import { backupFolder, nameFor, removeBackup } from './service-files.ts'
import { make } from './service-making.ts'
import * as store from './store.ts'

/** Options of a backup. */
export interface BackupRequest {
  readonly passphrase?: string | undefined
  /** How many of the newest backups stay once it is finished. */
  readonly keep?: number | undefined
  /** An absolute path outside the folder of backups. */
  readonly path?: string | undefined
  readonly origin?: 'asked' | 'scheduled'
}

/** Throws 409 while a backup or restore runs. */
export function checkIdle(ctx: Pick<Ctx, 'db'>): void {
  if (store.underWay(ctx.db)) throw fail('conflict', 'A backup is being made already.')
  const { restoring } = runningOf(ctx)
  if (restoring && restoring.state !== 'failed') throw fail('conflict', 'A backup is being restored.')
}

/** Requests a backup; a job makes it. Throws 409 while another runs. */
export function askForBackup(ctx: Ctx, wish: BackupRequest = {}): store.ListedBackup {
  const row = tx(ctx.db, () => {
    checkIdle(ctx)
    const made = store.insert(ctx.db, {
      state: 'queued',
      origin: wish.origin ?? 'asked',
      is_sealed: !(wish.passphrase === undefined),
      keep: wish.keep ?? null,
      place: wish.path ?? null,
      asked_by_id: ctx.actor.id,
      created_at: ctx.now,
      updated_at: ctx.now,
    })
    // Before the job can begin.
    if (wish.passphrase !== undefined) runningOf(ctx).passphrases.set(made.id, wish.passphrase)
    enqueue(ctx, make, { backup_id: made.id }, { key: 'backups.make' })
    publish(ctx, BackupChanged, { backup_id: made.id, state: 'queued', actor_id: ctx.actor.id })
    return made
  })
  return listed(ctx, row)
}

/** Cancels a backup that waits or runs. Throws 409 for one that has ended. */
export async function cancelBackup(ctx: Ctx, id: number): Promise<store.ListedBackup> {
  const row = backup(ctx, id)
  if (row.state !== 'queued' && row.state !== 'running')
    throw fail('conflict', 'The backup is not being made any more.')
  const ended = cancelRun(ctx, runName(id))
  if (ended) await ended
  else {
    runningOf(ctx).passphrases.delete(id)
    changeBackup(ctx, id, { state: 'cancelled', step: null, finished_at: ctx.now })
  }
  return listed(ctx, backup(ctx, id))
}

/** Deletes a backup with its file. Throws 409 while it is being made or restored. */
export async function deleteBackup(ctx: Ctx, id: number): Promise<void> {
  const row = backup(ctx, id)
  if (row.state === 'queued' || row.state === 'running')
    throw fail('conflict', 'The backup is being made; cancel it first.')
  const { restoring } = runningOf(ctx)
  if (restoring?.backup_id === id && restoring.state !== 'failed')
    throw fail('conflict', 'The backup is being restored.')
  await removeBackup(ctx, row)
}

/** One backup. Throws 404. */
export function backup(ctx: Pick<Ctx, 'db'>, id: number): store.BackupRow {
  const row = store.byId(ctx.db, id)
  if (!row) throw notFound('Backup')
  return row
}

/** The file of a finished backup. Throws 404 where there is none. */
export function fileOf(ctx: Pick<Ctx, 'db' | 'config'>, id: number): { name: string; path: string } {
  const { file } = backup(ctx, id)
  if (file === null) throw notFound('File')
  return { name: file, path: join(backupFolder(ctx.config.dataDir), file) }
}

/** Adds an uploaded file to the backups. Throws 400 for a file that is not a backup. */
export async function takeIn(ctx: Ctx, arrived: { path: string; size: number; sha256: string }) {
  const kind = kindOf(arrived.path)
  if (kind === 'other') throw fail('bad_request', 'This file is not a backup of Deskforge.')
  const head = kind === 'plain' ? await readHeadOf(arrived.path).catch(refuse) : undefined
  const folder = backupFolder(ctx.config.dataDir)
  const file = nameFor(folder, `uploaded-${head?.app_version ?? 'sealed'}`, ctx.now)
  await keepFile(arrived.path, join(folder, file))
  try {
    const row = tx(ctx.db, () => {
      const made = store.insert(ctx.db, {
        state: 'finished',
        origin: 'uploaded',
        file,
        size: arrived.size,
        sha256: arrived.sha256,
        is_sealed: !head,
        version: head?.app_version ?? null,
        head: head ? JSON.stringify(head) : null,
        asked_by_id: ctx.actor.id,
        created_at: ctx.now,
        updated_at: ctx.now,
        finished_at: ctx.now,
      })
      publish(ctx, BackupChanged, { backup_id: made.id, state: 'finished', actor_id: ctx.actor.id })
      return made
    })
    return listed(ctx, row)
  } catch (error) {
    await rm(join(folder, file), { force: true })
    throw error
  }
}

function refuse(error: Error): never {
  throw fail('bad_request', error.message)
}

function listed(ctx: Pick<Ctx, 'db'>, { id }: { id: number }): store.ListedBackup {
  return store.listed(ctx.db, id)!
}
