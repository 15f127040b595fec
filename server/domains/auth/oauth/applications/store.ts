import type { Selectable } from 'kysely'

import { q, type Database } from '../../../../db/database.ts'
import { boundedCount } from '../../../../db/lists.ts'
import type { Rows } from '../../../../db/rows.ts'
import type { OauthApplicationsTable } from '../../../../db/schema.gen.ts'

/** An OAuth application, with the digest of its secret. */
export type ApplicationRow = Selectable<OauthApplicationsTable>

/** The owner of applications: the instance, a user or a group. */
export type Owner = Pick<ApplicationRow, 'owner_id' | 'owner_namespace_id'>

/** The instance itself. */
export const INSTANCE: Owner = { owner_id: null, owner_namespace_id: null }

function applicationsOfOwner({ owner_id, owner_namespace_id }: Owner) {
  return q
    .selectFrom('oauth_applications')
    .where('owner_id', owner_id === null ? 'is' : '=', owner_id)
    .where('owner_namespace_id', owner_namespace_id === null ? 'is' : '=', owner_namespace_id)
}

/** Returns the owner's application with an id. */
export function ofOwnerById(db: Database, owner: Owner, id: number): ApplicationRow | undefined {
  return db.get(applicationsOfOwner(owner).selectAll().where('id', '=', id))
}

/** Returns the application with a public identifier. */
export function byUid(db: Database, uid: string): ApplicationRow | undefined {
  return db.get(q.selectFrom('oauth_applications').selectAll().where('uid', '=', uid))
}

/** Returns applications by their ids. */
export function byIds(db: Database, ids: readonly number[]): Map<number, ApplicationRow> {
  if (ids.length === 0) return new Map()
  const rows = db.all(
    q
      .selectFrom('oauth_applications')
      .selectAll()
      .where('id', 'in', [...ids]),
  )
  return new Map(rows.map((row) => [row.id, row]))
}

/** Returns one page of an owner's applications, oldest first. */
export function list(
  db: Database,
  owner: Owner,
  paging: { limit: number; offset: number },
): Rows<ApplicationRow> {
  const query = applicationsOfOwner(owner)
  const total = boundedCount(db, query.select('id'))
  const rows = db.all(query.selectAll().orderBy('id').limit(paging.limit).offset(paging.offset))
  return { rows, total }
}

export function insert(db: Database, row: Omit<ApplicationRow, 'id'>): ApplicationRow {
  return db.get(q.insertInto('oauth_applications').values(row).returningAll())!
}

export function update(
  db: Database,
  id: number,
  changes: Partial<Omit<ApplicationRow, 'id'>>,
): ApplicationRow {
  return db.get(q.updateTable('oauth_applications').set(changes).where('id', '=', id).returningAll())!
}

export function remove(db: Database, id: number): void {
  db.run(q.deleteFrom('oauth_applications').where('id', '=', id))
}
