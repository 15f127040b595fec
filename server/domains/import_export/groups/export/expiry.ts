import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import { removeKept } from '../files.ts'
import * as store from './store.ts'

/** Removes archives whose day is over. Called by the clock. */
export async function expireExports(ctx: Ctx): Promise<void> {
  const names = tx(ctx.db, () => store.expire(ctx.db, ctx.now))
  for (const name of names) await removeKept(ctx.config, 'groups', name)
}
