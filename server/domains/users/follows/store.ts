import { sql } from 'kysely'

import type { Database } from '../../../db/database.ts'
import { boundedCount, selectAll } from '../../../db/lists.ts'
import type { UserBasicRow } from '../store.ts'

/** The two directions of a follow. */
export type Direction = 'followers' | 'following'

/** One page of the users who follow somebody, or whom they follow; the newest first. */
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

/** Adds a follow; false when it is there already. */
export function add(db: Database, followerId: number, followeeId: number, now: string): boolean {
  const sql =
    'INSERT INTO user_follows (follower_id, followee_id, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'
  return db.exec(sql, followerId, followeeId, now).changes > 0
}

/** Takes a follow away; false when there is none. */
export function remove(db: Database, followerId: number, followeeId: number): boolean {
  const sql = 'DELETE FROM user_follows WHERE follower_id = ? AND followee_id = ?'
  return db.exec(sql, followerId, followeeId).changes > 0
}

/** How many users somebody follows. */
export function countFollowed(db: Database, followerId: number): number {
  return db.one<{ count: number }>(
    'SELECT count(*) AS count FROM user_follows WHERE follower_id = ?',
    followerId,
  )!.count
}
