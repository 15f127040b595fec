import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { cron, type CronLine, type Job } from '../../jobs/job.ts'
import { isoTime } from '../../lib/clock.ts'
import { failStandingStill, takeEntity } from './bulk_imports/jobs.ts'
import { removeFiles, sweep } from './exports/files.ts'
import * as exportStore from './exports/store.ts'
import { exportGroup } from './groups/export/service.ts'
import { archiveFolder, importGroup } from './groups/import/service.ts'
import { filesInUse } from './groups/import/store.ts'
import { failRun } from './imports/runs.ts'
import { silentSince } from './imports/store.ts'
import { exportProject } from './projects/export/make.ts'
import { uploadExport } from './projects/export/upload.ts'
import { fetchArchive, importArchiveJob } from './projects/import/jobs.ts'
import { takeRelation } from './projects/import/relation-import.ts'
import * as relationStore from './relation_exports/store.ts'
import { exportRelations } from './relation_exports/write.ts'

export const jobs: Job[] = [
  exportProject,
  uploadExport,
  importArchiveJob,
  fetchArchive,
  takeRelation,
  exportGroup,
  importGroup,
  exportRelations,
  takeEntity,
] as Job[]

const DAY_MS = 24 * 3600 * 1000
/** The time in milliseconds that relations can be downloaded after they were written. */
const RELATION_LIFE_MS = 3 * DAY_MS

/** Marks imports without progress for a day as failed (spec administration 6.4, stuck). */
export function failStuck(ctx: Ctx): void {
  for (const projectId of silentSince(ctx.db, isoTime(Date.parse(ctx.now) - DAY_MS)))
    failRun(ctx, projectId, 'Import timed out. Import took longer than 24 hours without a sign of life.')
}

/**
 * Reconciles rows and files: deletes orphaned archives, clears missing archives in rows, and fails exports without a
 * job.
 */
export async function sweepProjectExports(ctx: Pick<Ctx, 'config' | 'db' | 'now'>): Promise<void> {
  const missing = await sweep(ctx.config, 'projects', exportStore.filesOf(ctx.db, 'project'))
  for (const name of missing) exportStore.forgetFile(ctx.db, name)
  exportStore.failInterrupted(ctx.db, ctx.now)
}

/** Removes orphaned files of groups and relations, which a crash or a deleted group has left. Called at the start. */
export async function sweepGroupFiles(ctx: Pick<Ctx, 'config' | 'db'>): Promise<void> {
  await sweep(ctx.config, 'groups', exportStore.filesOf(ctx.db, 'group'))
  await sweep(ctx.config, 'relations', relationStore.filesOf(ctx.db))
  const folder = archiveFolder(ctx.config)
  const needed = filesInUse(ctx.db)
  for (const name of await readdir(folder).catch(() => [] as string[]))
    if (!needed.has(name)) await rm(join(folder, name), { force: true })
}

/** Removes archives of projects that are a day old (spec administration 6.1). */
export async function expireProjectExports(ctx: Ctx): Promise<void> {
  await removeFiles(ctx.config, 'projects', exportStore.expire(ctx.db, 'project', ctx.now))
}

async function expireGroupFiles(ctx: Ctx): Promise<void> {
  const archives = tx(ctx.db, () => exportStore.expire(ctx.db, 'group', ctx.now))
  await removeFiles(ctx.config, 'groups', archives)
  const before = isoTime(Date.parse(ctx.now) - RELATION_LIFE_MS)
  const relations = tx(ctx.db, () => relationStore.expire(ctx.db, before))
  await removeFiles(ctx.config, 'relations', relations)
}

export const crons: CronLine[] = [
  cron('imports.fail_stuck', '17 * * * *', failStuck),
  cron('transfer.expire_exports', '13 * * * *', async (ctx) => {
    await expireProjectExports(ctx)
    await sweepProjectExports(ctx)
  }),
  cron('group_transfer.expire', '17 * * * *', expireGroupFiles),
  cron('group_transfer.stuck', '37 * * * *', failStandingStill),
]
