import { mkdirSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { dataPaths, type Config } from '../../../config.ts'
import type { Ctx } from '../../../ctx.ts'
import { removalsOf } from '../../../lib/gate.ts'
import * as store from './store.ts'

/** Archives that wait to be unpacked, and parts of those that are still being fetched. */
const OWN = /^(relation-)?\d+\.(tar\.gz|part)$/

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

/** Takes what an import stored off the disk. The row does not name it any more. */
export async function removeArchives(ctx: Pick<Ctx, 'config'>, projectId: number): Promise<void> {
  const folder = dataPaths(ctx.config.dataDir).imports
  const names = Object.values(archiveNames(projectId))
  await removalsOf(ctx.config).pass(async () => {
    for (const name of names) await rm(join(folder, name), { force: true })
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
