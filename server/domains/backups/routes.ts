import { createReadStream } from 'node:fs'
import { stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Ctx } from '../../ctx.ts'
import { endpoint } from '../../http/endpoint.ts'
import { bool, choice, file, int, text } from '../../http/params.ts'
import { created, noContent, ok, page, raw } from '../../http/returns.ts'
import { fail, Failure, notFound } from '../../lib/fail.ts'
import { runningOf, type RestoreProgress } from './service-making.ts'
import { BACKUP_SUFFIX, backupFolder, filesIn } from './service-files.ts'
import { lastRestore, requestRestore, type LastRestore } from './restoring/swap.ts'
import {
  requestBackup,
  cancelBackup,
  deleteBackup,
  fileOf,
  addUploaded,
  scheduleOf,
  setSchedule,
  type Schedule,
} from './service.ts'
import * as store from './store.ts'
import { z } from 'zod'
import { entity, time, row } from '../../http/entity.ts'
import type { ListedBackup } from './store.ts'

const contents = z.object({
  schema: z.string(),
  created_at: z.string(),
  files: z.int(),
  bytes: z.int(),
  counts: z.record(z.string(), z.int()),
  storages: z.array(z.string()),
})

/** A backup of the instance, for administrators. */
const Backup = entity(
  'Backup',
  {
    id: z.int(),
    /** queued, running, finished, failed, canceled. */
    state: z.string(),
    /** Name of the file; null until it is complete. */
    file: z.string().nullable(),
    size: z.int().nullable(),
    sha256: z.string().nullable(),
    /** The current step and its progress. */
    step: z.string().nullable(),
    done: z.int(),
    total: z.int().nullable(),
    version: z.string().nullable(),
    error: z.string().nullable(),
    /** `asked`, `scheduled`, `uploaded` or `found`. */
    origin: z.string(),
    is_sealed: z.boolean(),
    /** The contents; null for a sealed backup, and until they are known. */
    contents: contents.nullable(),
    asked_by: z.string().nullable(),
    created_at: time(),
    finished_at: time().nullable(),
  },
  row<ListedBackup>(),
  (row) => ({
    contents: row.head === null ? null : contents.parse(JSON.parse(row.head)),
  }),
)

/** The schedule of backups. */
const BackupSchedule = entity(
  'BackupSchedule',
  {
    frequency: z.string(),
    hour: z.int(),
    weekday: z.int(),
    keep: z.int(),
    is_sealed: z.boolean(),
  },
  (row: Schedule) => row,
)

/** A restore that is being prepared. */
const BackupRestore = entity(
  'BackupRestore',
  {
    backup_id: z.int(),
    /** running, failed, restarting. */
    state: z.string(),
    step: z.string(),
    done: z.int(),
    total: z.int(),
    error: z.string().nullable(),
  },
  (row: RestoreProgress) => ({ ...row }),
)

/** The folder of backups, the schedule, and the last restore. */
const BackupOverview = entity(
  'BackupOverview',
  {
    folder: z.string(),
    /** Free bytes on the disk of the folder. */
    free: z.int(),
    /** Bytes of all backups. */
    used: z.int(),
    schedule: BackupSchedule.schema,
    restore: BackupRestore.schema.nullable(),
    last_restore: z
      .object({
        file: z.string(),
        created_at: z.string(),
        restored_at: z.string(),
        aside: z.string().nullable(),
      })
      .nullable(),
  },
  (row: {
    folder: string
    free: number
    used: number
    schedule: Schedule
    restore: RestoreProgress | undefined
    last_restore: LastRestore | undefined
  }) => ({
    ...row,
    restore: row.restore ? { ...row.restore } : null,
    last_restore: row.last_restore
      ? {
          file: row.last_restore.file,
          created_at: row.last_restore.created_at,
          restored_at: row.last_restore.restored_at,
          aside: row.last_restore.aside,
        }
      : null,
  }),
)

const id = int({ min: 1 }).describe('ID of the backup')
const passphrase = () => text({ max: 1000 }).describe('The passphrase that encrypts or decrypts the backup')
const MIN_PASSPHRASE = 8
/** No limit: larger than any disk. */
const UNLIMITED_BYTES = 2 ** 50

function checkStrength(input: string | null | undefined): void {
  if (input && input.length < MIN_PASSPHRASE)
    throw fail('bad_request', `A passphrase needs at least ${MIN_PASSPHRASE} characters.`)
}

export const listBackups = endpoint('GET /-/admin/backups', {
  summary: 'List the backups of the instance, newest first',
  can: 'admin',
  returns: page(Backup),
  run: (ctx) => store.list(ctx.db, ctx.paging),
})

export const readOverview = endpoint('GET /-/admin/backups/overview', {
  summary: 'Get the folder, the schedule and the last restore of backups',
  can: 'admin',
  returns: ok(BackupOverview),
  run: (ctx) => overview(ctx),
})

export const startBackup = endpoint('POST /-/admin/backups', {
  summary: 'Create a backup of the instance',
  can: 'admin',
  params: {
    passphrase: passphrase().optional(),
    keep: int({ min: 1, max: 1000 }).optional().describe('Number of the newest backups to keep'),
  },
  fails: { 400: 'The passphrase is too short', 409: 'Another backup is running' },
  returns: created(Backup),
  run: (ctx) => {
    checkStrength(ctx.params.passphrase)
    return requestBackup(ctx, { passphrase: ctx.params.passphrase || undefined, keep: ctx.params.keep })
  },
})

export const cancel = endpoint('POST /-/admin/backups/:id/cancel', {
  summary: 'Cancel a backup',
  can: 'admin',
  params: { id },
  fails: { 409: 'The backup has ended' },
  returns: created(Backup),
  run: (ctx) => cancelBackup(ctx, ctx.params.id),
})

export const remove = endpoint('DELETE /-/admin/backups/:id', {
  summary: 'Delete a backup and its file',
  can: 'admin',
  params: { id },
  fails: { 409: 'The backup is being created or restored' },
  returns: noContent,
  run: (ctx) => deleteBackup(ctx, ctx.params.id),
})

export const downloadBackup = endpoint('GET /-/admin/backups/:id/download', {
  summary: 'Download a backup file',
  can: 'admin',
  params: { id },
  fails: { 416: 'The range is outside the file' },
  returns: raw,
  otherStatuses: { 206: 'The requested range of the file' },
  run: (ctx) => download(ctx, ctx.params.id, ctx.http.header('range')),
})

export const uploadBackup = endpoint('POST /-/admin/backups/upload', {
  summary: 'Upload a backup file',
  can: 'admin',
  params: { file: file().describe('The backup file') },
  // Checked before anything is stored, so that unauthorized uploads cannot fill the disk.
  files: ({ actor }) => {
    if (!actor.is_admin) throw fail(actor.kind === 'anonymous' ? 'unauthorized' : 'forbidden')
    return { maxBytes: UNLIMITED_BYTES }
  },
  fails: { 400: 'The file is not a backup' },
  returns: created(Backup),
  run: (ctx) => addUploaded(ctx, ctx.params.file),
})

export const restoreBackup = endpoint('POST /-/admin/backups/restore', {
  summary: 'Restore a backup',
  can: 'admin',
  params: {
    backup_id: int({ min: 1 }).describe('ID of the backup'),
    confirm: bool().describe('Must be true: everything since the backup is lost'),
    passphrase: passphrase().optional(),
  },
  fails: {
    400: 'The restore is not confirmed, or requires a passphrase',
    409: 'Another backup or restore is running',
  },
  returns: created(BackupRestore),
  run: (ctx) => {
    if (!ctx.params.confirm) throw fail('bad_request', 'confirm must be true')
    return requestRestore(ctx, ctx.params.backup_id, ctx.params.passphrase || undefined)
  },
})

export const changeSchedule = endpoint('PUT /-/admin/backups/schedule', {
  summary: 'Update the schedule of backups',
  can: 'admin',
  params: {
    frequency: choice('off', 'daily', 'weekly').optional().describe('How often backups are created'),
    hour: int({ min: 0, max: 23 }).optional().describe('Hour of the day, UTC'),
    weekday: int({ min: 0, max: 6 }).optional().describe('Day of the week, 0 is Sunday'),
    keep: int({ min: 1, max: 1000 }).optional().describe('Number of the newest backups to keep'),
    passphrase: passphrase()
      .optional()
      .describe('The passphrase that encrypts the backups. An empty value removes the current one'),
  },
  fails: { 400: 'The passphrase is too short' },
  returns: ok(BackupSchedule),
  run: (ctx) => {
    checkStrength(ctx.params.passphrase)
    return setSchedule(ctx, ctx.params)
  },
})

/** The file of a backup, or the range in the `Range` header. Throws 404, and 416 for a range outside the file. */
async function download(ctx: Ctx, id: number, rangeHeader: string) {
  const { name, path } = fileOf(ctx, id)
  const stats = await stat(path).catch(() => undefined)
  if (!stats) throw notFound('File')
  const byteRange = rangeOf(rangeHeader, stats.size)
  const headers = {
    'Content-Disposition': `attachment; filename="${name.replaceAll(/[^\w.-]/g, '_')}"`,
    'Cache-Control': 'private, no-store',
    'Accept-Ranges': 'bytes',
    ...(byteRange ? { 'Content-Range': `bytes ${byteRange.start}-${byteRange.end}/${stats.size}` } : {}),
  }
  return {
    type: 'application/octet-stream',
    status: byteRange ? 206 : 200,
    length: byteRange ? byteRange.end - byteRange.start + 1 : stats.size,
    headers,
    body: createReadStream(path, byteRange ?? {}),
  }
}

/** Parses `bytes=100-`, `bytes=100-199` or `bytes=-100`. Returns undefined for other values: the whole file is sent. */
function rangeOf(header: string, size: number): { start: number; end: number } | undefined {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header) ?? []
  if (first === undefined || last === undefined || first + last === '') return undefined
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (start > end)
    throw new Failure('range_not_satisfiable', 'The range is outside the file.', {
      headers: { 'Content-Range': `bytes */${size}` },
    })
  return { start, end }
}

/** The values of `BackupOverview`. */
async function overview(ctx: Ctx) {
  const folder = backupFolder(ctx.config.dataDir)
  const disk = await statfs(folder)
  return {
    folder,
    free: disk.bavail * disk.bsize,
    used: await sizeOfAll(folder),
    schedule: scheduleOf(ctx),
    restore: runningOf(ctx).restore,
    last_restore: lastRestore(ctx.config.dataDir),
  }
}

async function sizeOfAll(folder: string): Promise<number> {
  const names = filesIn(folder).filter((name) => name.endsWith(BACKUP_SUFFIX))
  const files = await Promise.all(names.map((name) => stat(join(folder, name)).catch(() => undefined)))
  return files.reduce((sum, entry) => sum + (entry?.size ?? 0), 0)
}
