import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { dataPaths, type Config } from '../../../config.ts'
import type { Ctx } from '../../../ctx.ts'
import { removalsOf } from '../../../lib/gate.ts'
import * as store from './store.ts'

/** Names of archives, of partial downloads, and of files that are being removed. */
const IMPORT_FILE = /^(relation-)?\d+\.(tar\.gz|part)(\.gone-[\w-]+)?$/

/** The folder of archives that are being imported; creates it if it is missing. */
export function importFolder(config: Pick<Config, 'dataDir'>): string {
  const folder = dataPaths(config.dataDir).imports
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return folder
}

/** File names of a project's archive and of its partial download, in the folder. */
export function archiveNames(projectId: number): { readonly file: string; readonly part: string } {
  return { file: `${projectId}.tar.gz`, part: `${projectId}.part` }
}

/** The path of a stored archive. */
export function archivePath(config: Pick<Config, 'dataDir'>, file: string): string {
  return join(importFolder(config), file)
}

/**
 * Removes the archive of an import that has ended. A new run of the same project uses the same file names, so files are
 * first renamed and then removed. Removes nothing while the project is being imported again.
 */
export async function removeArchives(ctx: Pick<Ctx, 'config' | 'db'>, projectId: number): Promise<void> {
  const folder = dataPaths(ctx.config.dataDir).imports
  await removalsOf(ctx.config).pass(async () => {
    if (store.isActive(ctx.db, projectId)) return
    const paths = Object.values(archiveNames(projectId))
      .map((name) => join(folder, name))
      .filter((path) => existsSync(path))
    const renamed = paths.map((path) => `${path}.gone-${randomUUID()}`)
    paths.forEach((path, index) => renameSync(path, renamed[index]!))
    for (const path of renamed) await rm(path, { force: true })
  })
}

/** Removes archives that a crash left and no import needs. Called when the instance starts. */
export async function removeOrphanedArchives(ctx: Pick<Ctx, 'config' | 'db'>): Promise<void> {
  const folder = dataPaths(ctx.config.dataDir).imports
  const names = await readdir(folder).catch(() => [])
  const needed = store.filesInUse(ctx.db)
  const parts = new Set(store.projectsWithDownloads(ctx.db).map((id) => archiveNames(id).part))
  for (const name of names) {
    if (IMPORT_FILE.test(name) && !needed.has(name) && !parts.has(name))
      await rm(join(folder, name), { force: true })
  }
}
