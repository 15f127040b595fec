import type { Ctx } from '../../ctx.ts'
import { notFound } from '../../lib/fail.ts'
import * as store from './store.ts'

/** The user of that id. Throws `404 User Not Found`. */
export function userOf(ctx: Pick<Ctx, 'db'>, id: number): store.UserRow {
  const row = store.byId(ctx.db, id)
  if (!row) throw notFound('User')
  return row
}

/** By id, or by user name in any case; digits only are always an id. Throws `404 User Not Found`. */
export function userNamed(ctx: Pick<Ctx, 'db'>, reference: string): store.UserRow {
  if (/^\d{1,15}$/.test(reference)) return userOf(ctx, Number(reference))
  const row = store.byUsername(ctx.db, reference)
  if (!row) throw notFound('User')
  return row
}
