import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { dataPaths, type Config } from '../../../../config.ts'
import type { Ctx } from '../../../../ctx.ts'
import { removalsOf } from '../../../../lib/gate.ts'
import * as store from './store.ts'

/** Where archives of projects wait for being downloaded; no part of a backup. */
export function exportFolder(config: Pick<Config, 'dataDir'>): string {
  return join(config.dataDir, 'exports', 'projects')
}

/** Where an archive lies, by its stored name. */
export function exportFile(config: Pick<Config, 'dataDir'>, name: string): string {
  return join(exportFolder(config), name)
}

/** Removes an archive that no row names any more. */
export async function removeFile(config: Config, name: string): Promise<void> {
  await removalsOf(config).pass(() => rm(exportFile(config, name), { force: true }))
}

/** A folder of its own for work that is under way, empty: what an earlier attempt left there is gone. */
export async function workFolder(config: Pick<Config, 'dataDir'>, exportId: number): Promise<string> {
  const folder = join(dataPaths(config.dataDir).tmp, `project-export-${exportId}`)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return folder
}

/**
 * Makes rows and files agree, as a crash, a restored backup or the deletion of a project leaves them: archives that no row names go, and
 * rows forget archives that are gone. What was under way and has no job any more has failed.
 */
export async function sweepExports(ctx: Pick<Ctx, 'config' | 'db' | 'now'>): Promise<void> {
  const known = store.filesOf(ctx.db)
  const names = await readdir(exportFolder(ctx.config)).catch(() => [])
  for (const name of names) if (!known.delete(name)) await removeFile(ctx.config, name)
  for (const name of known) store.forgetFile(ctx.db, name)
  store.endForsaken(ctx.db, ctx.now)
}

/** Removes archives that are a day old (spec administration 6.1). */
export async function expireExports(ctx: Ctx): Promise<void> {
  for (const name of store.expire(ctx.db, ctx.now)) await removeFile(ctx.config, name)
}
