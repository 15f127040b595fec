import type { Selectable } from 'kysely'
import { timingSafeEqual } from 'node:crypto'
import { q, type Database } from '../../../db/database.ts'
import type { ScimTokensTable } from '../../../db/schema.gen.ts'
import type { Ctx } from '../../../ctx.ts'
import { tokenDigest } from '../../../lib/security/crypto.ts'

/** A token of an identity provider as stored, without its text. */
export type ScimTokenRow = Selectable<ScimTokensTable>

/** The token of a group, or of the instance (null). */
export function tokenOf(db: Database, groupId: number | null): ScimTokenRow | undefined {
  return groupId === null
    ? db.one<ScimTokenRow>('SELECT * FROM scim_tokens WHERE group_id IS NULL')
    : db.one<ScimTokenRow>('SELECT * FROM scim_tokens WHERE group_id = ?', groupId)
}

export function insert(db: Database, row: Omit<ScimTokenRow, 'id'>): ScimTokenRow {
  return db.get(q.insertInto('scim_tokens').values(row).returningAll())!
}

export function remove(db: Database, id: number): void {
  db.exec('DELETE FROM scim_tokens WHERE id = ?', id)
}

/** Whether a request has the token (`Authorization: Bearer …`). */
export function tokenHolds(ctx: Ctx, row: ScimTokenRow, authorization: string): boolean {
  const [, shown] = /^bearer[ \t]+(\S+)[ \t]*$/i.exec(authorization) ?? []
  if (shown === undefined) return false
  const holds = timingSafeEqual(Buffer.from(tokenDigest(shown)), Buffer.from(row.token_digest))
  const sql = 'UPDATE scim_tokens SET last_used_at = ? WHERE id = ?'
  if (holds) ctx.bookkeeping.note(`scim-token-used:${row.id}`, sql, ctx.now, row.id)
  return holds
}
