import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { enqueue } from '../../jobs/job.ts'
import { cancelRun } from '../../jobs/runs.ts'
import { moveDurably } from '../../lib/files/durable-file.ts'
import { fail, notFound } from '../../lib/fail.ts'
import { readHeadOf, kindOf } from './archive/read.ts'
import { BackupChanged } from './events.ts'
import { backupFolder, nameFor, removeBackup } from './service-files.ts'
import { make, changeBackup, runName, runningOf } from './service-making.ts'
import * as store from './store.ts'

/** The schedule of backups, as the window shows it. */
export interface Schedule {
  readonly frequency: 'off' | 'daily' | 'weekly'
  readonly hour: number
  readonly weekday: number
  readonly keep: number
  readonly is_sealed: boolean
}

const PURPOSE = 'backup_schedule.passphrase'
const USUAL = { frequency: 'off', hour: 2, weekday: 0, keep: 7, passphrase: null } as const
const HOUR_MS = 3_600_000

/** The schedule; off by default. */
export function scheduleOf(ctx: Pick<Ctx, 'db'>): Schedule {
  const { frequency, hour, weekday, keep, passphrase } = store.schedule(ctx.db) ?? USUAL
  return { frequency, hour, weekday, keep, is_sealed: passphrase !== null }
}

/** Changes the schedule. Without a passphrase the present one stays; an empty one removes it. */
export function setSchedule(
  ctx: Ctx,
  change: Partial<Omit<Schedule, 'is_sealed'>> & { passphrase?: string | null | undefined },
): Schedule {
  const before = store.schedule(ctx.db) ?? { ...USUAL, updated_at: ctx.now }
  const { passphrase: given, ...rest } = change
  const passphrase = given === undefined ? before.passphrase : given ? ctx.secrets.seal(given, PURPOSE) : null
  const changes = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
  store.setSchedule(ctx.db, { ...before, ...changes, passphrase, updated_at: ctx.now })
  return scheduleOf(ctx)
}

/**
 * Requests a scheduled backup when it is due. Runs every hour; after a missed hour, the next run of that day requests
 * it.
 */
export function requestIfDue(ctx: Ctx): void {
  const row = store.schedule(ctx.db)
  if (!row || row.frequency === 'off') return
  const now = new Date(ctx.now)
  const isDay = row.frequency === 'daily' || now.getUTCDay() === row.weekday
  if (!isDay || now.getUTCHours() < row.hour) return
  const last = store.lastScheduled(ctx.db)
  const today = Date.parse(`${ctx.now.slice(0, 10)}T00:00:00.000Z`) + row.hour * HOUR_MS
  if (last !== undefined && Date.parse(last) >= today) return
  if (store.underWay(ctx.db)) return
  const passphrase =
    row.passphrase === null ? undefined : ctx.secrets.open(row.passphrase, PURPOSE).toString()
  requestBackup(ctx, { origin: 'scheduled', keep: row.keep, passphrase })
}

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
  if (store.underWay(ctx.db)) throw fail('conflict', 'A backup is already running.')
  const { restoring } = runningOf(ctx)
  if (restoring && restoring.state !== 'failed') throw fail('conflict', 'A backup is being restored.')
}

/** Requests a backup; a job makes it. Throws 409 while another runs. */
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
    // Stored before the job can start.
    if (input.passphrase !== undefined) runningOf(ctx).passphrases.set(created.id, input.passphrase)
    enqueue(ctx, make, { backup_id: created.id }, { key: 'backups.make' })
    publish(ctx, BackupChanged, { backup_id: created.id, state: 'queued', actor_id: ctx.actor.id })
    return created
  })
  return listed(ctx, row)
}

/** Cancels a backup that waits or runs. Throws 409 for one that has ended. */
export async function cancelBackup(ctx: Ctx, id: number): Promise<store.ListedBackup> {
  const row = backup(ctx, id)
  if (row.state !== 'queued' && row.state !== 'running')
    throw fail('conflict', 'The backup is no longer running.')
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
    throw fail('conflict', 'The backup is still running; cancel it first.')
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

/** The file of a finished backup. Throws 404 if there is none. */
export function fileOf(ctx: Pick<Ctx, 'db' | 'config'>, id: number): { name: string; path: string } {
  const { file } = backup(ctx, id)
  if (file === null) throw notFound('File')
  return { name: file, path: join(backupFolder(ctx.config.dataDir), file) }
}

/** Adds an uploaded file to the backups. Throws 400 for a file that is not a backup. */
export async function addUploaded(ctx: Ctx, arrived: { path: string; size: number; sha256: string }) {
  const kind = kindOf(arrived.path)
  if (kind === 'other') throw fail('bad_request', 'This file is not a backup of Deskforge.')
  const head = kind === 'plain' ? await readHeadOf(arrived.path).catch(refuse) : undefined
  const folder = backupFolder(ctx.config.dataDir)
  const file = nameFor(folder, `uploaded-${head?.app_version ?? 'sealed'}`, ctx.now)
  await moveDurably(arrived.path, join(folder, file))
  try {
    const row = tx(ctx.db, () => {
      const created = store.insert(ctx.db, {
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
      publish(ctx, BackupChanged, { backup_id: created.id, state: 'finished', actor_id: ctx.actor.id })
      return created
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
