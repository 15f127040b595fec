import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { cron, type CronLine, type Job } from '../../jobs/job.ts'
import { isoTime } from '../../lib/clock.ts'
import { timeOutStalled, migrateEntity } from './bulk_imports/jobs.ts'
import { removeFiles, removeOrphans } from './exports/files.ts'
import * as exportStore from './exports/store.ts'
import { exportGroup } from './groups/export/service.ts'
import { archiveFolder, importGroup } from './groups/import/service.ts'
import { filesInUse } from './groups/import/store.ts'
import { failRun } from './imports/runs.ts'
import { stalledSince } from './imports/store.ts'
import { exportProject } from './projects/export/make.ts'
import { uploadExport } from './projects/export/upload.ts'
import { fetchArchive, importArchiveJob } from './projects/import/jobs.ts'
import { importRelationJob } from './projects/import/relation-import.ts'
import * as relationStore from './relation_exports/store.ts'
import { exportRelations } from './relation_exports/write.ts'

export const jobs: Job[] = [
  exportProject,
  uploadExport,
  importArchiveJob,
  fetchArchive,
  importRelationJob,
  exportGroup,
  importGroup,
  exportRelations,
  migrateEntity,
] as Job[]

const DAY_MS = 24 * 3600 * 1000
/** How long an exported relation can be downloaded, in milliseconds. */
const RELATION_LIFETIME_MS = 3 * DAY_MS

/** Records imports as failed that made no progress for a day (spec administration 6.4, stuck). */
export function failStuck(ctx: Ctx): void {
  for (const projectId of stalledSince(ctx.db, isoTime(Date.parse(ctx.now) - DAY_MS)))
    failRun(ctx, projectId, 'Import timed out. Import took longer than 24 hours without a sign of life.')
}

/**
 * Reconciles rows and files of project exports: deletes orphaned archives, clears missing archives in rows, and records
 * exports without a job as failed.
 */
export async function reconcileProjectExports(ctx: Pick<Ctx, 'config' | 'db' | 'now'>): Promise<void> {
  const missing = await removeOrphans(ctx.config, 'projects', exportStore.filesOf(ctx.db, 'project'))
  for (const name of missing) exportStore.clearFile(ctx.db, name)
  exportStore.failInterrupted(ctx.db, ctx.now)
}

/** Removes files of groups and relations that a crash or a deleted group left. Called when the instance starts. */
export async function removeOrphanedGroupFiles(ctx: Pick<Ctx, 'config' | 'db'>): Promise<void> {
  await removeOrphans(ctx.config, 'groups', exportStore.filesOf(ctx.db, 'group'))
  await removeOrphans(ctx.config, 'relations', relationStore.filesOf(ctx.db))
  const folder = archiveFolder(ctx.config)
  const needed = filesInUse(ctx.db)
  for (const name of await readdir(folder).catch(() => [] as string[]))
    if (!needed.has(name)) await rm(join(folder, name), { force: true })
}

/** Removes expired archives of projects (spec administration 6.1). */
export async function expireProjectExports(ctx: Ctx): Promise<void> {
  await removeFiles(ctx.config, 'projects', exportStore.expire(ctx.db, 'project', ctx.now))
}

async function expireGroupFiles(ctx: Ctx): Promise<void> {
  const archives = tx(ctx.db, () => exportStore.expire(ctx.db, 'group', ctx.now))
  await removeFiles(ctx.config, 'groups', archives)
  const before = isoTime(Date.parse(ctx.now) - RELATION_LIFETIME_MS)
  const relations = tx(ctx.db, () => relationStore.expire(ctx.db, before))
  await removeFiles(ctx.config, 'relations', relations)
}

export const crons: CronLine[] = [
  cron('imports.fail_stuck', '17 * * * *', failStuck),
  cron('transfer.expire_exports', '13 * * * *', async (ctx) => {
    await expireProjectExports(ctx)
    await reconcileProjectExports(ctx)
  }),
  cron('group_transfer.expire', '17 * * * *', expireGroupFiles),
  cron('group_transfer.stuck', '37 * * * *', timeOutStalled),
]
