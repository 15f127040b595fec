import { rm } from 'node:fs/promises'

import type { Ctx } from '../../../ctx.ts'
import { filesOf as archivesOf } from './export/store.ts'
import { keptFile, keptNames, type Kept } from './files.ts'
import { sweepGroupArchives } from './import/files.ts'
import { filesOf as relationsOf } from '../relation_exports/store.ts'

/** Removes files that no row names, as a crash or the deletion of a group leaves them. To be called at the start. */
export async function sweepGroupTransfers(ctx: Pick<Ctx, 'config' | 'db'>): Promise<void> {
  await sweep(ctx, 'groups', archivesOf(ctx.db))
  await sweep(ctx, 'relations', relationsOf(ctx.db))
  await sweepGroupArchives(ctx)
}

async function sweep({ config }: Pick<Ctx, 'config'>, kind: Kept, known: ReadonlySet<string>): Promise<void> {
  for (const name of await keptNames(config, kind))
    if (!known.has(name)) await rm(keptFile(config, kind, name), { recursive: true, force: true })
}
