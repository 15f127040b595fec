import type { Selectable } from 'kysely'

import { q, type Database } from '../../../../db/database.ts'
import type { OauthGrantsTable } from '../../../../db/schema.gen.ts'

/** A row of an authorization code, with its digest. */
export type GrantRow = Selectable<OauthGrantsTable>

export function insertGrant(db: Database, row: Omit<GrantRow, 'id' | 'used_at'>): GrantRow {
  return db.get(q.insertInto('oauth_grants').values(row).returningAll())!
}

/** The code with a digest. */
export function grantByDigest(db: Database, digest: string): GrantRow | undefined {
  return db.get(q.selectFrom('oauth_grants').selectAll().where('digest', '=', digest))
}

/** Marks a code as used. False if another request was faster. */
export function useGrant(db: Database, id: number, now: string): boolean {
  const query = q.updateTable('oauth_grants').set({ used_at: now })
  return db.run(query.where('id', '=', id).where('used_at', 'is', null)).changes > 0
}

/** Deletes codes that expired before a time. */
export function removeGrantsBefore(db: Database, moment: string): void {
  db.run(q.deleteFrom('oauth_grants').where('expires_at', '<', moment))
}
