import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { isoTime } from '../../../lib/clock.ts'
import { removeKept } from '../groups/files.ts'
import * as store from './store.ts'

/** How long relations can be downloaded after they were written. */
const LIFE_MS = 3 * 24 * 3600 * 1000

/** Removes relations whose days are over. Called by the clock. */
export async function expireRelationExports(ctx: Ctx): Promise<void> {
  const before = isoTime(Date.parse(ctx.now) - LIFE_MS)
  const names = tx(ctx.db, () => store.expire(ctx.db, before))
  for (const name of names) await removeKept(ctx.config, 'relations', name)
}
