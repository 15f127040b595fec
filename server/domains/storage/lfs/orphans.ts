import { rmSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { dataPaths } from '../../../config.ts'
import type { Ctx } from '../../../ctx.ts'
import { addDays } from '../../../lib/clock.ts'
import { removalsOf } from '../../../lib/gate.ts'
import { namesWrittenBefore, removeIfEmpty } from '../../../lib/owner-folders.ts'
import { isArriving } from './objects.ts'
import * as store from './store.ts'

const PAIR = /^[0-9a-f]{2}$/

/** Removes files that a crash left before they were noted; folder by folder, so that memory does not grow with them. */
export async function removeOrphans(ctx: Ctx): Promise<void> {
  const root = dataPaths(ctx.config.dataDir).lfs
  const before = addDays(ctx.now, -1)
  for (const first of await pairsIn(root)) {
    for (const second of await pairsIn(join(root, first))) {
      const folder = join(root, first, second)
      const names = await namesWrittenBefore(folder, before)
      const known = store.known(
        ctx.db,
        names.map((name) => first + second + name),
      )
      for (const name of names)
        if (!known.has(first + second + name)) await removeFile(ctx, folder, name, first + second + name)
      await removeIfEmpty(folder)
    }
    await removeIfEmpty(join(root, first))
  }
}

async function pairsIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(() => [])).filter((name) => PAIR.test(name))
}

async function removeFile(ctx: Ctx, folder: string, name: string, oid: string): Promise<void> {
  await removalsOf(ctx.config).pass(() => {
    // It may have come once more since it was looked for.
    if (!isArriving(ctx.db, oid) && !store.known(ctx.db, [oid]).has(oid))
      rmSync(join(folder, name), { force: true })
    return Promise.resolve()
  })
}
