import { sql, type RawBuilder, type SqlBool } from 'kysely'

import { jsonList, type Database } from '../../../db/database.ts'

/** Returns the attributes of owners, ordered by key. The map omits owners without attributes. */
export function attributesOfOwners(
  db: Database,
  kind: OwnerKind,
  ids: readonly number[],
): Map<number, CustomAttributeRow[]> {
  const column = OWNER_COLUMN[kind]
  const byOwner = new Map<number, CustomAttributeRow[]>()
  if (ids.length === 0) return byOwner
  const rows = db.many<CustomAttributeRow & { owner: number }>(
    `SELECT ${column} AS owner, key, value FROM custom_attributes
     WHERE ${column} IN (SELECT value FROM json_each(?)) ORDER BY ${column}, key`,
    jsonList(ids),
  )
  for (const { owner, key, value } of rows)
    byOwner.set(owner, [...(byOwner.get(owner) ?? []), { key, value }])
  return byOwner
}

export function byKey(
  db: Database,
  kind: OwnerKind,
  id: number,
  key: string,
): CustomAttributeRow | undefined {
  return db.one<CustomAttributeRow>(
    `SELECT key, value FROM custom_attributes WHERE ${OWNER_COLUMN[kind]} = ? AND key = ?`,
    id,
    key,
  )
}

/** Creates the attribute or changes its value. */
export function put(
  db: Database,
  kind: OwnerKind,
  id: number,
  attribute: CustomAttributeRow,
  now: string,
): void {
  const column = OWNER_COLUMN[kind]
  db.exec(
    `INSERT INTO custom_attributes (${column}, key, value, created_at, updated_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (${column}, key) WHERE ${column} IS NOT NULL
     DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`,
    id,
    attribute.key,
    attribute.value,
    now,
    now,
  )
}

/** Deletes the attribute. Returns false if there was none. */
export function remove(db: Database, kind: OwnerKind, id: number, key: string): boolean {
  const column = OWNER_COLUMN[kind]
  return db.exec(`DELETE FROM custom_attributes WHERE ${column} = ? AND key = ?`, id, key).changes > 0
}

/** Returns a condition: the owner with the id in `idColumn` (such as `p.id`) has all of the attributes. */
export function hasAttributes(
  kind: OwnerKind,
  idColumn: string,
  attributes: Readonly<Record<string, string>>,
): RawBuilder<SqlBool> {
  const column = sql.raw(OWNER_COLUMN[kind])
  const conditions = Object.entries(attributes).map(
    ([key, value]) => sql<SqlBool>`${sql.raw(idColumn)} IN (SELECT ${column} FROM custom_attributes
      WHERE ${column} IS NOT NULL AND key = ${key} AND value = ${value})`,
  )
  return conditions.length === 0 ? sql<SqlBool>`1` : sql.join(conditions, sql` AND `)
}

/** The kinds of owners. A group is a `namespace`. */
export type OwnerKind = 'user' | 'namespace' | 'project'

/** The column with the id of each kind of owner. */
export const OWNER_COLUMN = {
  user: 'user_id',
  namespace: 'namespace_id',
  project: 'project_id',
} as const satisfies Record<OwnerKind, string>

/** A key and its value. */
export interface CustomAttributeRow {
  readonly key: string
  readonly value: string
}
