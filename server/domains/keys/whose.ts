import type { Ctx } from '../../ctx.ts'
import { notFound } from '../../lib/fail.ts'
import { userById, userByUsername, type UserRow } from '../users/index.ts'

/** The user of an id or a user name; digits only are an id. Throws `404 User Not Found`. */
export function userOf(ctx: Pick<Ctx, 'db'>, reference: string | number): UserRow {
  const text = String(reference)
  const isId = /^\d{1,15}$/.test(text)
  const user = isId ? userById(ctx.db, Number(text)) : userByUsername(ctx.db, text)
  if (!user) throw notFound('User')
  return user
}
