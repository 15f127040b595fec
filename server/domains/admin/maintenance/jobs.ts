import { lstat, readdir, rm } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { z } from 'zod'

import { dataPaths } from '../../../config.ts'
import type { Ctx } from '../../../ctx.ts'
import { repoAt } from '../../../git/process/engine.ts'
import { collectGarbage } from '../../../git/upkeep/collect-garbage.ts'
import { UNFINISHED_FOLDER, leftoversIn } from '../../../git/upkeep/leftovers.ts'
import { sweepRepository } from '../../../git/upkeep/stale-locks.ts'
import { job, type CronLine, type Job, cron } from '../../../jobs/job.ts'
import { addDays } from '../../../lib/clock.ts'
import { removalsOf } from '../../../lib/gate.ts'
import { projectById, repoOf } from '../../projects/index.ts'
import { requestStatistics } from '../../repository/index.ts'
import { storagesOf } from '../../storage/index.ts'
import { checkJobs, crons as checkCrons } from './checks.ts'

/** The maximum depth of folders in a storage; the path of every repository has fewer levels. */
const MAX_DEPTH = 5

/**
 * Removes leftovers of crashes: incomplete repositories, locks and unfinished objects in repositories, and temporary
 * files. Only files that have not changed for a day are removed, and none in a repository that is being written to.
 * Repositories without a row are not removed, because they may be the only copy.
 */
export async function collectLeftovers(ctx: Ctx): Promise<void> {
  const before = Date.parse(addDays(ctx.now, -1))
  let removed = 0
  for (const { folder } of storagesOf(ctx)) removed += await collectInStorage(ctx, folder, before)
  removed += await collectTemporary(ctx, before)
  if (removed > 0) ctx.log.info({ removed }, 'leftovers were collected')
}

/** Walks through a storage one folder at a time to limit the load. */
async function collectInStorage(ctx: Ctx, root: string, before: number): Promise<number> {
  const walk = async (folder: string, depth: number): Promise<number> => {
    let removed = 0
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      if (!entry.isDirectory() || entry.name.startsWith('.')) continue
      const path = join(folder, entry.name)
      const [, name] = UNFINISHED_FOLDER.exec(entry.name) ?? []
      if (name !== undefined) removed += await removeUnfinished(ctx, path, { of: join(folder, name), before })
      else if (entry.name.endsWith('.git')) removed += await sweepIfNeeded(ctx, path, { root, before })
      else if (depth > 0 && !entry.name.includes('.git.')) removed += await walk(path, depth - 1)
    }
    return removed
  }
  return walk(root, MAX_DEPTH)
}

async function removeUnfinished(
  ctx: Ctx,
  path: string,
  { of: repository, before }: { of: string; before: number },
): Promise<number> {
  if (ctx.git.openWrites.isOpen(repository) || !(await isOlder(path, before))) return 0
  await removalsOf(ctx.config).pass(() => rm(path, { recursive: true, force: true, maxRetries: 5 }))
  return 1
}

async function sweepIfNeeded(
  ctx: Ctx,
  gitDir: string,
  { root, before }: { root: string; before: number },
): Promise<number> {
  // The sweep blocks writes, so it runs only in a repository with leftovers. Most have none.
  if ((await leftoversIn(gitDir)).length === 0) return 0
  const key = relative(root, gitDir).replaceAll(sep, '/')
  return (await sweepRepository(repoAt(ctx.git, gitDir, key), before)) ?? 0
}

/**
 * Removes temporary files older than a day, which no running operation uses. (The start of the instance empties the
 * folder.)
 */
async function collectTemporary(ctx: Ctx, before: number): Promise<number> {
  const { tmp } = dataPaths(ctx.config.dataDir)
  let removed = 0
  for (const name of await readdir(tmp).catch(() => [])) {
    const path = join(tmp, name)
    if (!(await isOlder(path, before))) continue
    await rm(path, { recursive: true, force: true, maxRetries: 5 })
    removed++
  }
  return removed
}

/** Returns true if neither the path nor anything in it has changed since a time. */
async function isOlder(path: string, before: number): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined)
  if (!stats || stats.mtimeMs >= before) return false
  if (!stats.isDirectory()) return true
  for (const name of await readdir(path).catch(() => []))
    if (!(await isOlder(join(path, name), before))) return false
  return true
}

const leftoverCrons: CronLine[] = [cron('maintenance.collect_leftovers', '15 4 * * *', collectLeftovers)]

/** Packs all objects of a repository, removes unreachable ones, and recalculates its size. */
export const housekeeping = job(
  'maintenance.housekeeping',
  { args: { project_id: z.number() }, retries: 1 },
  async (ctx, { project_id }) => {
    const project = projectById(ctx.db, project_id)
    if (!project || project.repository_state !== 'ready' || project.repository_read_only) return
    const repo = repoOf(ctx, project)
    await sweepRepository(repo)
    await collectGarbage(repo)
    requestStatistics(ctx, project_id)
  },
)

export const jobs: Job[] = [housekeeping, ...checkJobs]

export const crons: CronLine[] = [...checkCrons, ...leftoverCrons]
