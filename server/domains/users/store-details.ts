import { sql, type Selectable } from 'kysely'

import { jsonList, type Database, q } from '../../db/database.ts'
import { boundedCount, selectAll } from '../../db/lists.ts'
import type { UserStatusesTable } from '../../db/schema.gen.ts'
import type { CustomAttributeRow } from './custom_attributes/store.ts'
import { usersById, type UserBasicRow, type UserRow } from './store.ts'

/** An identity of a user at an identity provider. */
export interface IdentityRow {
  readonly provider: string
  readonly extern_uid: string
  readonly saml_provider_id: number | null
}

/** A user with the additional data of detailed views. */
export interface UserDetailRow extends UserRow {
  namespace_id: number | null
  highest_role: number
  created_by: UserBasicRow | undefined
  identities: readonly IdentityRow[]
  followers: number
  following: number
  /** Whether the viewer follows the user. */
  is_followed: boolean
  /** Whether the profile is private and the viewer is another user. */
  is_hidden: boolean
  custom_attributes?: readonly CustomAttributeRow[] | undefined
}

interface CountRow {
  user_id: number
  count: number
}

function byUser<Row extends { user_id: number }, Value>(
  rows: readonly Row[],
  value: (row: Row) => Value,
): Map<number, Value> {
  return new Map(rows.map((row) => [row.user_id, value(row)]))
}

const IN_LIST = 'IN (SELECT value FROM json_each(?))'

function countFollows(db: Database, column: 'follower_id' | 'followee_id', ids: string): Map<number, number> {
  const sql = `SELECT ${column} AS user_id, count(*) AS count FROM user_follows WHERE ${column} ${IN_LIST} GROUP BY ${column}`
  return byUser(db.many<CountRow>(sql, ids), (row) => row.count)
}

function identitiesOf(db: Database, ids: string): Map<number, IdentityRow[]> {
  const sql = `SELECT user_id, provider, extern_uid, saml_provider_id FROM identities WHERE user_id ${IN_LIST} ORDER BY id`
  const identitiesByUser = new Map<number, IdentityRow[]>()
  for (const { user_id, ...identity } of db.many<IdentityRow & { user_id: number }>(sql, ids))
    identitiesByUser.set(user_id, [...(identitiesByUser.get(user_id) ?? []), identity])
  return identitiesByUser
}

/**
 * Adds the data of detailed views to users, with one query for each kind. `viewerId` is null for anonymous viewers.
 */
export function withDetails(
  db: Database,
  rows: readonly UserRow[],
  viewerId: number | null = null,
): UserDetailRow[] {
  const ids = jsonList(rows.map((row) => row.id))
  const namespaces = byUser(
    db.many<{ user_id: number; id: number }>(
      `SELECT owner_id AS user_id, id FROM namespaces WHERE owner_id ${IN_LIST}`,
      ids,
    ),
    (row) => row.id,
  )
  const roles = byUser(
    db.many<{ user_id: number; level: number }>(
      `SELECT user_id, max(access_level) AS level FROM members WHERE user_id ${IN_LIST} GROUP BY user_id`,
      ids,
    ),
    (row) => row.level,
  )
  const followed = db.many<{ user_id: number }>(
    `SELECT followee_id AS user_id FROM user_follows WHERE follower_id = ? AND followee_id ${IN_LIST}`,
    viewerId,
    ids,
  )
  const followedIds = new Set(followed.map((row) => row.user_id))
  const [followers, following] = [countFollows(db, 'followee_id', ids), countFollows(db, 'follower_id', ids)]
  const identities = identitiesOf(db, ids)
  const creators = usersById(
    db,
    rows.flatMap((row) => row.created_by_id ?? []),
  )
  return rows.map((row) => ({
    ...row,
    namespace_id: namespaces.get(row.id) ?? null,
    highest_role: roles.get(row.id) ?? 0,
    created_by: row.created_by_id === null ? undefined : creators.get(row.created_by_id),
    identities: identities.get(row.id) ?? [],
    followers: followers.get(row.id) ?? 0,
    following: following.get(row.id) ?? 0,
    is_followed: followedIds.has(row.id),
    is_hidden: row.private_profile && row.id !== viewerId,
  }))
}

/** Adds the data of detailed views to one user. */
export function withUserDetails(db: Database, row: UserRow, viewerId: number | null = null): UserDetailRow {
  return withDetails(db, [row], viewerId)[0]!
}

/** The two lists of follows of a user. */
export type Direction = 'followers' | 'following'

/** Returns one page of the followers of a user, or of the users that the user follows, the newest first. */
export function list(
  db: Database,
  userId: number,
  direction: Direction,
  page: { limit: number; offset: number },
) {
  const [own, other] =
    direction === 'followers'
      ? [sql.ref('f.followee_id'), sql.ref('f.follower_id')]
      : [sql.ref('f.follower_id'), sql.ref('f.followee_id')]
  const from = sql`FROM user_follows f JOIN users u ON u.id = ${other} WHERE ${own} = ${userId}`
  const rows = selectAll(
    db,
    sql<UserBasicRow>`SELECT u.id, u.username, u.name, u.state, u.avatar ${from}
      ORDER BY f.created_at DESC, u.id DESC LIMIT ${page.limit} OFFSET ${page.offset}`,
  )
  return { rows, total: boundedCount(db, sql`SELECT 1 ${from}`) }
}

/** Adds a follow. Returns false if it exists. */
export function add(db: Database, followerId: number, followeeId: number, now: string): boolean {
  const sql =
    'INSERT INTO user_follows (follower_id, followee_id, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'
  return db.exec(sql, followerId, followeeId, now).changes > 0
}

/** Deletes a follow. Returns false if there is none. */
export function remove(db: Database, followerId: number, followeeId: number): boolean {
  const sql = 'DELETE FROM user_follows WHERE follower_id = ? AND followee_id = ?'
  return db.exec(sql, followerId, followeeId).changes > 0
}

/** Returns the number of users that a user follows. */
export function countFollowed(db: Database, followerId: number): number {
  return db.one<{ count: number }>(
    'SELECT count(*) AS count FROM user_follows WHERE follower_id = ?',
    followerId,
  )!.count
}

/** The status of a user. */
export type StatusRow = Selectable<UserStatusesTable>

/** Returns the status of a user, unless it has expired. */
export function statusOf(db: Database, userId: number, now: string): StatusRow | undefined {
  return db.one<StatusRow>(
    'SELECT * FROM user_statuses WHERE user_id = ? AND (clear_at IS NULL OR clear_at > ?)',
    userId,
    now,
  )
}

export function put(db: Database, row: StatusRow): void {
  const { user_id: _, ...changes } = row
  db.run(
    q
      .insertInto('user_statuses')
      .values(row)
      .onConflict((conflict) => conflict.column('user_id').doUpdateSet(changes)),
  )
}

export function removeStatus(db: Database, userId: number): void {
  db.exec('DELETE FROM user_statuses WHERE user_id = ?', userId)
}

/** Deletes expired statuses. */
export function removeExpiredStatuses(db: Database, now: string): void {
  db.exec('DELETE FROM user_statuses WHERE clear_at IS NOT NULL AND clear_at <= ?', now)
}
