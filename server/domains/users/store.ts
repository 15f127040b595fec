import type { Selectable } from 'kysely'

import { jsonList, q, type Database } from '../../db/database.ts'
import type { UsersTable } from '../../db/schema.gen.ts'
import type { CustomAttributeRow } from './custom_attributes/owner.ts'

/** A user as stored. */
export type UserRow = Selectable<UsersTable>

/** What the nested form of a user needs. */
export interface UserBasicRow extends Pick<UserRow, 'id' | 'username' | 'name' | 'state' | 'avatar'> {
  /** Where administrators asked for them. */
  custom_attributes?: readonly CustomAttributeRow[] | undefined
}

export function byId(db: Database, id: number): UserRow | undefined {
  return db.one<UserRow>('SELECT * FROM users WHERE id = ?', id)
}

export function byUsername(db: Database, username: string): UserRow | undefined {
  return db.one<UserRow>('SELECT * FROM users WHERE username = ?', username)
}

/** By user name, or by e-mail address. */
export function byLogin(db: Database, login: string): UserRow | undefined {
  return byUsername(db, login) ?? db.one<UserRow>('SELECT * FROM users WHERE email = ?', login)
}

/** By the address that everybody sees. */
export function byPublicEmail(db: Database, email: string): UserRow | undefined {
  const sql =
    "SELECT * FROM users WHERE public_email <> '' AND public_email = ? COLLATE NOCASE ORDER BY id LIMIT 1"
  return db.one<UserRow>(sql, email)
}

/** True when there is any user at all. */
export function exists(db: Database): boolean {
  return db.one('SELECT 1 FROM users LIMIT 1') !== undefined
}

/** True once somebody can sign in with a password. */
export function anyPassword(db: Database): boolean {
  return db.remember(
    'users:any_password',
    () => db.one('SELECT 1 FROM users WHERE password_hash IS NOT NULL LIMIT 1') !== undefined,
  )
}

/** The administrator who was there first. */
export function firstAdmin(db: Database): UserRow | undefined {
  return db.one<UserRow>('SELECT * FROM users WHERE is_admin = 1 ORDER BY id LIMIT 1')
}

/** True when an active administrator other than this one is there. */
export function hasOtherAdmin(db: Database, id: number): boolean {
  const sql = "SELECT 1 FROM users WHERE is_admin = 1 AND state = 'active' AND id <> ? LIMIT 1"
  return db.one(sql, id) !== undefined
}

/** Many users in their nested form, by id. */
export function basicByIds(db: Database, ids: readonly number[]): Map<number, UserBasicRow> {
  if (ids.length === 0) return new Map()
  const sql =
    'SELECT id, username, name, state, avatar FROM users WHERE id IN (SELECT value FROM json_each(?))'
  return new Map(db.many<UserBasicRow>(sql, jsonList([...new Set(ids)])).map((row) => [row.id, row]))
}

/** What a new user is made of; the rest has defaults. */
export type NewUser = Pick<UserRow, 'username' | 'name' | 'email' | 'created_at' | 'updated_at'> &
  Partial<Omit<UserRow, 'id'>>

export function insert(db: Database, user: NewUser): UserRow {
  return db.get(q.insertInto('users').values(user).returningAll())!
}

export function update(db: Database, id: number, changes: Partial<Omit<UserRow, 'id'>>): UserRow {
  return db.get(q.updateTable('users').set(changes).where('id', '=', id).returningAll())!
}

export function remove(db: Database, id: number): void {
  db.exec('DELETE FROM users WHERE id = ?', id)
}
