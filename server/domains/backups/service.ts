import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { enqueue, cron, type CronLine, type Job } from '../../jobs/job.ts'
import { cancelRun } from '../../jobs/runs.ts'
import { moveDurably } from '../../lib/files/durable-file.ts'
import { fail, notFound } from '../../lib/fail.ts'
import { readHeadOf, kindOf } from './archive/read.ts'
import { BackupChanged } from './events.ts'
import { backupFolder, nameFor, removeBackup } from './service-files.ts'
import { makeBackupJob, changeBackup, runName, runningOf } from './service-making.ts'
import * as store from './store.ts'

/** The schedule of backups, as the window shows it. */
export interface Schedule {
  readonly frequency: 'off' | 'daily' | 'weekly'
  readonly hour: number
  readonly weekday: number
  readonly keep: number
  readonly is_sealed: boolean
}

const SECRET_PURPOSE = 'backup_schedule.passphrase'
const DEFAULT_SCHEDULE = { frequency: 'off', hour: 2, weekday: 0, keep: 7, passphrase: null } as const
const HOUR_MS = 3_600_000

/** The schedule; off by default. */
export function scheduleOf(ctx: Pick<Ctx, 'db'>): Schedule {
  const { frequency, hour, weekday, keep, passphrase } = store.schedule(ctx.db) ?? DEFAULT_SCHEDULE
  return { frequency, hour, weekday, keep, is_sealed: passphrase !== null }
}

/** Changes the schedule. An undefined passphrase keeps the current one; an empty one removes it. */
export function setSchedule(
  ctx: Ctx,
  change: Partial<Omit<Schedule, 'is_sealed'>> & { passphrase?: string | null | undefined },
): Schedule {
  const before = store.schedule(ctx.db) ?? { ...DEFAULT_SCHEDULE, updated_at: ctx.now }
  const { passphrase: newPassphrase, ...rest } = change
  const passphrase =
    newPassphrase === undefined
      ? before.passphrase
      : newPassphrase
        ? ctx.secrets.seal(newPassphrase, SECRET_PURPOSE)
        : null
  const changes = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
  store.setSchedule(ctx.db, { ...before, ...changes, passphrase, updated_at: ctx.now })
  return scheduleOf(ctx)
}

/**
 * Requests a scheduled backup when it is due. Runs every hour. If the hour of the schedule was missed, a later run of
 * that day requests the backup.
 */
function requestIfDue(ctx: Ctx): void {
  const row = store.schedule(ctx.db)
  if (!row || row.frequency === 'off') return
  const now = new Date(ctx.now)
  const isScheduledDay = row.frequency === 'daily' || now.getUTCDay() === row.weekday
  if (!isScheduledDay || now.getUTCHours() < row.hour) return
  const last = store.lastScheduled(ctx.db)
  const today = Date.parse(`${ctx.now.slice(0, 10)}T00:00:00.000Z`) + row.hour * HOUR_MS
  if (last !== undefined && Date.parse(last) >= today) return
  if (store.activeBackup(ctx.db)) return
  const passphrase =
    row.passphrase === null ? undefined : ctx.secrets.open(row.passphrase, SECRET_PURPOSE).toString()
  requestBackup(ctx, { origin: 'scheduled', keep: row.keep, passphrase })
}

/** Options of a backup. */
export interface BackupRequest {
  readonly passphrase?: string | undefined
  /** Number of the newest backups to keep when this one is finished. */
  readonly keep?: number | undefined
  /** An absolute path outside the folder of backups. */
  readonly path?: string | undefined
  readonly origin?: 'asked' | 'scheduled'
}

/** Throws 409 while a backup or restore runs. */
export function checkIdle(ctx: Pick<Ctx, 'db'>): void {
  if (store.activeBackup(ctx.db)) throw fail('conflict', 'A backup is already running.')
  const { restore } = runningOf(ctx)
  if (restore && restore.state !== 'failed') throw fail('conflict', 'A backup is being restored.')
}

/** Enqueues a backup. Throws 409 while another backup or restore runs. */
export function requestBackup(ctx: Ctx, input: BackupRequest = {}): store.ListedBackup {
  const row = tx(ctx.db, () => {
    checkIdle(ctx)
    const created = store.insert(ctx.db, {
      state: 'queued',
      origin: input.origin ?? 'asked',
      is_sealed: !(input.passphrase === undefined),
      keep: input.keep ?? null,
      outside_path: input.path ?? null,
      asked_by_id: ctx.actor.id,
      created_at: ctx.now,
      updated_at: ctx.now,
    })
    // The passphrase must be available before the job can start.
    if (input.passphrase !== undefined) runningOf(ctx).passphrases.set(created.id, input.passphrase)
    enqueue(ctx, makeBackupJob, { backup_id: created.id }, { key: 'backups.make' })
    publish(ctx, BackupChanged, { backup_id: created.id, state: 'queued', actor_id: ctx.actor.id })
    return created
  })
  return withUser(ctx, row)
}

/** Cancels a waiting or running backup. Throws 409 for one that has ended. */
export async function cancelBackup(ctx: Ctx, id: number): Promise<store.ListedBackup> {
  const row = backup(ctx, id)
  if (row.state !== 'queued' && row.state !== 'running')
    throw fail('conflict', 'The backup is no longer running.')
  const cancellation = cancelRun(ctx, runName(id))
  if (cancellation) await cancellation
  else {
    runningOf(ctx).passphrases.delete(id)
    changeBackup(ctx, id, { state: 'cancelled', step: null, finished_at: ctx.now })
  }
  return withUser(ctx, backup(ctx, id))
}

/** Deletes a backup with its file. Throws 409 while it is being made or restored. */
export async function deleteBackup(ctx: Ctx, id: number): Promise<void> {
  const row = backup(ctx, id)
  if (row.state === 'queued' || row.state === 'running')
    throw fail('conflict', 'The backup is still running; cancel it first.')
  const { restore } = runningOf(ctx)
  if (restore?.backup_id === id && restore.state !== 'failed')
    throw fail('conflict', 'The backup is being restored.')
  await removeBackup(ctx, row)
}

/** One backup. Throws 404. */
export function backup(ctx: Pick<Ctx, 'db'>, id: number): store.BackupRow {
  const row = store.byId(ctx.db, id)
  if (!row) throw notFound('Backup')
  return row
}

/** The file of a finished backup. Throws 404 if there is none. */
export function fileOf(ctx: Pick<Ctx, 'db' | 'config'>, id: number): { name: string; path: string } {
  const { file } = backup(ctx, id)
  if (file === null) throw notFound('File')
  return { name: file, path: join(backupFolder(ctx.config.dataDir), file) }
}

/** Adds an uploaded file to the backups. Throws 400 for a file that is not a backup. */
export async function addUploaded(ctx: Ctx, upload: { path: string; size: number; sha256: string }) {
  const kind = kindOf(upload.path)
  if (kind === 'other') throw fail('bad_request', 'This file is not a backup of Deskforge.')
  const head = kind === 'plain' ? await readHeadOf(upload.path).catch(refuse) : undefined
  const folder = backupFolder(ctx.config.dataDir)
  const file = nameFor(folder, `uploaded-${head?.app_version ?? 'sealed'}`, ctx.now)
  await moveDurably(upload.path, join(folder, file))
  try {
    const row = tx(ctx.db, () => {
      const created = store.insert(ctx.db, {
        state: 'finished',
        origin: 'uploaded',
        file,
        size: upload.size,
        sha256: upload.sha256,
        is_sealed: !head,
        version: head?.app_version ?? null,
        head: head ? JSON.stringify(head) : null,
        asked_by_id: ctx.actor.id,
        created_at: ctx.now,
        updated_at: ctx.now,
        finished_at: ctx.now,
      })
      publish(ctx, BackupChanged, { backup_id: created.id, state: 'finished', actor_id: ctx.actor.id })
      return created
    })
    return withUser(ctx, row)
  } catch (error) {
    await rm(join(folder, file), { force: true })
    throw error
  }
}

function refuse(error: Error): never {
  throw fail('bad_request', error.message)
}

function withUser(ctx: Pick<Ctx, 'db'>, { id }: { id: number }): store.ListedBackup {
  return store.listed(ctx.db, id)!
}

export const jobs: Job[] = [makeBackupJob as Job]

/** Requests the scheduled backup of the day or week. */
const scheduled = cron('backups.scheduled', '0 * * * *', (ctx) => requestIfDue(ctx))

export const crons: CronLine[] = [scheduled]
