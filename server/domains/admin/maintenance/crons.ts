import { lstat, readdir, rm } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'

import { dataPaths } from '../../../config.ts'
import type { Ctx } from '../../../ctx.ts'
import { repoAt } from '../../../git/process/engine.ts'
import { HALF_MADE, leftoversIn } from '../../../git/upkeep/leftovers.ts'
import { sweepRepository } from '../../../git/upkeep/stale-locks.ts'
import { cron, type CronLine } from '../../../jobs/job.ts'
import { addDays } from '../../../lib/clock.ts'
import { removalsOf } from '../../../lib/gate.ts'
import { storagesOf } from '../../storage/index.ts'

/** Deeper than any repository lies. */
const DEPTH = 5

/**
 * Removes what instances that ended long ago left and nobody names: half-made and half-removed repositories, locks and unfinished
 * objects in repositories, and temporary files. Only what has not changed for a day goes, and nothing of a repository that is
 * being written to. Repositories that no row names stay: they may be somebody's only copy.
 */
export async function collectLeftovers(ctx: Ctx): Promise<void> {
  const before = Date.parse(addDays(ctx.now, -1))
  let removed = 0
  for (const { folder } of storagesOf(ctx)) removed += await collectIn(ctx, folder, before)
  removed += await collectTemporary(ctx, before)
  if (removed > 0) ctx.log.info({ removed }, 'leftovers were collected')
}

/** Walks through a storage, one folder after the other: nobody waits for it. */
async function collectIn(ctx: Ctx, root: string, before: number): Promise<number> {
  const walk = async (folder: string, depth: number): Promise<number> => {
    let removed = 0
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      if (!entry.isDirectory() || entry.name.startsWith('.')) continue
      const path = join(folder, entry.name)
      const [, name] = HALF_MADE.exec(entry.name) ?? []
      if (name !== undefined) removed += await removeHalfMade(ctx, path, { of: join(folder, name), before })
      else if (entry.name.endsWith('.git')) removed += await sweepOld(ctx, path, { root, before })
      else if (depth > 0 && !entry.name.includes('.git.')) removed += await walk(path, depth - 1)
    }
    return removed
  }
  return walk(root, DEPTH)
}

async function removeHalfMade(
  ctx: Ctx,
  path: string,
  { of, before }: { of: string; before: number },
): Promise<number> {
  if (ctx.git.openWrites.isOpen(of) || !(await isOlder(path, before))) return 0
  await removalsOf(ctx.config).pass(() => rm(path, { recursive: true, force: true, maxRetries: 5 }))
  return 1
}

async function sweepOld(
  ctx: Ctx,
  gitDir: string,
  { root, before }: { root: string; before: number },
): Promise<number> {
  // Most have none; only where some are found is anybody kept from writing.
  if ((await leftoversIn(gitDir)).length === 0) return 0
  const key = relative(root, gitDir).replaceAll(sep, '/')
  return (await sweepRepository(repoAt(ctx.git, gitDir, key), before)) ?? 0
}

/** The start empties the folder; what stays there for a day belongs to nothing that goes on. */
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

/** True where neither the path nor anything in it has changed since a moment. */
async function isOlder(path: string, before: number): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined)
  if (!found || found.mtimeMs >= before) return false
  if (!found.isDirectory()) return true
  for (const name of await readdir(path).catch(() => []))
    if (!(await isOlder(join(path, name), before))) return false
  return true
}

export const leftoverCrons: CronLine[] = [
  cron('maintenance.collect_leftovers', '15 4 * * *', collectLeftovers),
]
