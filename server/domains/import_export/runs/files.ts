import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { dataPaths, type Config } from '../../../config.ts'
import type { Ctx } from '../../../ctx.ts'
import { removalsOf } from '../../../lib/gate.ts'
import * as store from './store.ts'

/** Archives that wait to be unpacked, parts of those that are still being fetched, and what is being removed. */
const OWN = /^(relation-)?\d+\.(tar\.gz|part)(\.gone-[\w-]+)?$/

/** The folder of archives that are being imported; it is there afterwards. */
export function importFolder(config: Pick<Config, 'dataDir'>): string {
  const folder = dataPaths(config.dataDir).imports
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return folder
}

/** Names, below the folder, of a project's archive and of the part of it that has been fetched. */
export function archiveNames(projectId: number): { readonly file: string; readonly part: string } {
  return { file: `${projectId}.tar.gz`, part: `${projectId}.part` }
}

/** Where a stored archive lies. */
export function archivePath(config: Pick<Config, 'dataDir'>, file: string): string {
  return join(importFolder(config), file)
}

/**
 * Takes what an import stored off the disk. The row does not name it any more. Nothing is removed where the project is being
 * imported anew by then: a new run uses the same names, so they are given free at once and the content goes afterwards.
 */
export async function removeArchives(ctx: Pick<Ctx, 'config' | 'db'>, projectId: number): Promise<void> {
  const folder = dataPaths(ctx.config.dataDir).imports
  await removalsOf(ctx.config).pass(async () => {
    if (store.isUnderWay(ctx.db, projectId)) return
    const found = Object.values(archiveNames(projectId))
      .map((name) => join(folder, name))
      .filter((path) => existsSync(path))
    const gone = found.map((path) => `${path}.gone-${randomUUID()}`)
    found.forEach((path, index) => renameSync(path, gone[index]!))
    for (const path of gone) await rm(path, { force: true })
  })
}

/** Removes archives that nobody needs any more, as a crash leaves them. To be called at the start. */
export async function sweepArchives(ctx: Pick<Ctx, 'config' | 'db'>): Promise<void> {
  const folder = dataPaths(ctx.config.dataDir).imports
  const found = await readdir(folder).catch(() => [])
  const needed = store.filesInUse(ctx.db)
  const parts = new Set(store.partsInUse(ctx.db).map((id) => archiveNames(id).part))
  for (const name of found) {
    if (OWN.test(name) && !needed.has(name) && !parts.has(name)) await rm(join(folder, name), { force: true })
  }
}
