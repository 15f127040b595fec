import { z } from 'zod'

import { entity, time, row } from '../../http/entity.ts'
import type { Restoring } from './service-making.ts'
import type { LastRestore } from './restoring/swap.ts'
import type { Schedule } from './service.ts'
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
export const Backup = entity(
  'Backup',
  {
    id: z.int(),
    /** queued, running, finished, failed, cancelled. */
    state: z.string(),
    /** Name of the file; null until it is complete. */
    file: z.string().nullable(),
    size: z.int().nullable(),
    sha256: z.string().nullable(),
    /** The present step and its progress. */
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
export const BackupSchedule = entity(
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
export const BackupRestore = entity(
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
  (row: Restoring) => ({ ...row }),
)

/** The folder of backups, the schedule, and the last restore. */
export const BackupOverview = entity(
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
    restore: Restoring | undefined
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
