import { sql } from 'kysely'

import type { Database } from '../../../db/database.ts'
import { boundedCount, selectAll } from '../../../db/lists.ts'
import type { UserBasicRow } from '../store.ts'

/** The two directions of a follow. */
export type Direction = 'followers' | 'following'

/** Returns one page of the followers of a user, or of the users whom they follow, newest first. */
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

/** Counts the users whom a user follows. */
export function countFollowed(db: Database, followerId: number): number {
  return db.one<{ count: number }>(
    'SELECT count(*) AS count FROM user_follows WHERE follower_id = ?',
    followerId,
  )!.count
}
