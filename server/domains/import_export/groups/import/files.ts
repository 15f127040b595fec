import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

import type { Config } from '../../../../config.ts'
import type { Ctx } from '../../../../ctx.ts'
import * as store from './store.ts'

/** Where archives of groups lie until they are taken over. */
export function archiveFolder(config: Pick<Config, 'dataDir'>): string {
  return join(config.dataDir, 'imports', 'groups')
}

export function archiveFile(config: Pick<Config, 'dataDir'>, name: string): string {
  return join(archiveFolder(config), name)
}

/** Removes archives that nobody needs any more, as a crash or the deletion of their group leaves them. */
export async function sweepGroupArchives(ctx: Pick<Ctx, 'config' | 'db'>): Promise<void> {
  const folder = archiveFolder(ctx.config)
  const needed = store.filesInUse(ctx.db)
  for (const name of await readdir(folder).catch(() => [] as string[]))
    if (!needed.has(name)) await rm(join(folder, name), { force: true })
}
