import type { Selectable } from 'kysely'

import { q, type Database } from '../../../../db/database.ts'
import type { OauthGrantsTable } from '../../../../db/schema.gen.ts'

/** An authorization code as stored: its digest, and what it was given for. */
export type GrantRow = Selectable<OauthGrantsTable>

export function insertGrant(db: Database, row: Omit<GrantRow, 'id' | 'used_at'>): GrantRow {
  return db.get(q.insertInto('oauth_grants').values(row).returningAll())!
}

/** The code with that digest. */
export function grantByDigest(db: Database, digest: string): GrantRow | undefined {
  return db.get(q.selectFrom('oauth_grants').selectAll().where('digest', '=', digest))
}

/** Uses a code up; false when somebody was quicker. */
export function useGrant(db: Database, id: number, now: string): boolean {
  const query = q.updateTable('oauth_grants').set({ used_at: now })
  return db.run(query.where('id', '=', id).where('used_at', 'is', null)).changes > 0
}

/** Removes codes that ended before a moment. */
export function removeGrantsBefore(db: Database, moment: string): void {
  db.run(q.deleteFrom('oauth_grants').where('expires_at', '<', moment))
}
