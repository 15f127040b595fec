import { sql, type Selectable } from 'kysely'

import type { Ctx } from '../../ctx.ts'
import { jsonList, q, type Database } from '../../db/database.ts'
import type { UsersTable } from '../../db/schema.gen.ts'
import type { CustomAttributeRow } from './custom_attributes/store.ts'
import { selectAll, boundedCount } from '../../db/lists.ts'
import { isoDate } from '../../lib/clock.ts'

/** A user as stored. */
export type UserRow = Selectable<UsersTable>

/** The columns of a nested user. */
export interface UserBasicRow extends Pick<UserRow, 'id' | 'username' | 'name' | 'state' | 'avatar'> {
  /** Undefined unless an administrator requested them. */
  custom_attributes?: readonly CustomAttributeRow[] | undefined
}

export function userById(db: Database, id: number): UserRow | undefined {
  return db.one<UserRow>('SELECT * FROM users WHERE id = ?', id)
}

export function userByUsername(db: Database, username: string): UserRow | undefined {
  return db.one<UserRow>('SELECT * FROM users WHERE username = ?', username)
}

/** Returns the user with a user name or email address. */
export function userByLogin(db: Database, login: string): UserRow | undefined {
  return userByUsername(db, login) ?? db.one<UserRow>('SELECT * FROM users WHERE email = ?', login)
}

/** Returns the user with a public email address. */
export function byPublicEmail(db: Database, email: string): UserRow | undefined {
  const sql =
    "SELECT * FROM users WHERE public_email <> '' AND public_email = ? COLLATE NOCASE ORDER BY id LIMIT 1"
  return db.one<UserRow>(sql, email)
}

/** Returns true if the instance has users. */
export function hasUsers(db: Database): boolean {
  return db.one('SELECT 1 FROM users LIMIT 1') !== undefined
}

/** Returns true if any user has a password. */
export function hasPasswords(db: Database): boolean {
  return db.rememberRows(
    'users:any_password',
    () => db.one('SELECT 1 FROM users WHERE password_hash IS NOT NULL LIMIT 1') !== undefined,
  )
}

/** Returns the first administrator. */
export function firstAdmin(db: Database): UserRow | undefined {
  return db.one<UserRow>('SELECT * FROM users WHERE is_admin = 1 ORDER BY id LIMIT 1')
}

/** Returns true if there is another active administrator. */
export function hasOtherAdmin(db: Database, id: number): boolean {
  const sql = "SELECT 1 FROM users WHERE is_admin = 1 AND state = 'active' AND id <> ? LIMIT 1"
  return db.one(sql, id) !== undefined
}

/** Returns users with the columns of nested users, by id. */
export function usersById(db: Database, ids: readonly number[]): Map<number, UserBasicRow> {
  if (ids.length === 0) return new Map()
  const sql =
    'SELECT id, username, name, state, avatar FROM users WHERE id IN (SELECT value FROM json_each(?))'
  return new Map(db.many<UserBasicRow>(sql, jsonList([...new Set(ids)])).map((row) => [row.id, row]))
}

/** The columns of a new user. The others have defaults. */
export type NewUser = Pick<UserRow, 'username' | 'name' | 'email' | 'created_at' | 'updated_at'> &
  Partial<Omit<UserRow, 'id'>>

export function insert(db: Database, user: NewUser): UserRow {
  return db.get(q.insertInto('users').values(user).returningAll())!
}

export function updateUser(db: Database, id: number, changes: Partial<Omit<UserRow, 'id'>>): UserRow {
  return db.get(q.updateTable('users').set(changes).where('id', '=', id).returningAll())!
}

export function removeUser(db: Database, id: number): void {
  db.exec('DELETE FROM users WHERE id = ?', id)
}

/** A user with their last day of activity. */
export interface ActivityRow {
  username: string
  last_activity_on: string
}

/** Returns one page of the users who were active on a day or later, the least recent first. */
export function listActivities(db: Database, from: string, page: { limit: number; offset: number }) {
  const source = sql`FROM users WHERE last_activity_on >= ${from} AND kind = 'human'`
  const rows = selectAll(
    db,
    sql<ActivityRow>`SELECT username, last_activity_on ${source}
      ORDER BY last_activity_on, id LIMIT ${page.limit} OFFSET ${page.offset}`,
  )
  return { rows, total: boundedCount(db, sql`SELECT id ${source}`) }
}

/**
 * Sets the identity of a user at a provider, and replaces an earlier one. Throws `UniqueViolation` if another user
 * has it.
 */
export function upsertIdentity(
  db: Database,
  identity: { user_id: number; provider: string; extern_uid: string },
  now: string,
): void {
  db.exec(
    `INSERT INTO identities (user_id, provider, extern_uid, created_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (user_id, provider) DO UPDATE SET extern_uid = excluded.extern_uid`,
    identity.user_id,
    identity.provider,
    identity.extern_uid,
    now,
  )
}

/** Returns the id of the user with an identity at a provider. */
export function ownerOfIdentity(db: Database, provider: string, externUid: string): number | undefined {
  const sql = 'SELECT user_id FROM identities WHERE provider = ? AND extern_uid = ?'
  return db.one<{ user_id: number }>(sql, provider, externUid)?.user_id
}

/** Deletes the identity at a provider. Returns false if there is none. */
export function deleteIdentity(db: Database, userId: number, provider: string): boolean {
  return db.exec('DELETE FROM identities WHERE user_id = ? AND provider = ?', userId, provider).changes > 0
}

/** Resets the acceptance of the terms for all users. */
export function resetAcceptedTerms(db: Database): void {
  db.exec('UPDATE users SET accepted_terms_at = NULL WHERE accepted_terms_at IS NOT NULL')
}

/** Records the day of a user's last activity, within the next minute. */
export function recordActivity(ctx: Ctx, userId: number): void {
  const today = isoDate(ctx.now)
  const sql = 'UPDATE users SET last_activity_on = ? WHERE id = ? AND last_activity_on IS NOT ?'
  ctx.bookkeeping.collect(`user-active:${userId}`, sql, today, userId, today)
}
