import type { Selectable } from 'kysely'

import { jsonList, q, type Database } from '../../db/database.ts'
import { boundedCount, contains } from '../../db/lists.ts'
import type { UsersTable } from '../../db/schema.gen.ts'
import type { Rows } from '../../db/rows.ts'

/** A user as stored. */
export type UserRow = Selectable<UsersTable>

/** What the nested form of a user needs. */
export type UserBasicRow = Pick<UserRow, 'id' | 'username' | 'name' | 'state' | 'avatar'>

/** A user with what the larger views show beside the row. */
export interface UserDetailRow extends UserRow {
  namespace_id: number | null
  highest_role: number
  created_by: UserBasicRow | undefined
}

/** Filters of `GET /users`. */
export interface UserFilter {
  search?: string | undefined
  /** Search addresses that are not public too. */
  searchAllEmails?: boolean | undefined
  username?: string | undefined
  active?: boolean | undefined
  blocked?: boolean | undefined
  external?: boolean | undefined
  exclude_external?: boolean | undefined
  without_project_bots?: boolean | undefined
  admins?: boolean | undefined
  created_before?: string | undefined
  created_after?: string | undefined
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

export function byEmail(db: Database, email: string): UserRow | undefined {
  return db.one<UserRow>('SELECT * FROM users WHERE email = ?', email)
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

/** Many users in their nested form, by id. */
export function basicByIds(db: Database, ids: readonly number[]): Map<number, UserBasicRow> {
  if (ids.length === 0) return new Map()
  const sql =
    'SELECT id, username, name, state, avatar FROM users WHERE id IN (SELECT value FROM json_each(?))'
  return new Map(db.many<UserBasicRow>(sql, jsonList([...new Set(ids)])).map((row) => [row.id, row]))
}

/** Adds to rows what the larger views show, with one query each. */
export function withDetails(db: Database, rows: readonly UserRow[]): UserDetailRow[] {
  const ids = jsonList(rows.map((row) => row.id))
  const spaces = db.many<{ owner_id: number; id: number }>(
    'SELECT owner_id, id FROM namespaces WHERE owner_id IN (SELECT value FROM json_each(?))',
    ids,
  )
  const roles = db.many<{ user_id: number; level: number }>(
    'SELECT user_id, max(access_level) AS level FROM members WHERE user_id IN (SELECT value FROM json_each(?)) GROUP BY user_id',
    ids,
  )
  const spaceOf = new Map(spaces.map((row) => [row.owner_id, row.id]))
  const roleOf = new Map(roles.map((row) => [row.user_id, row.level]))
  const creators = basicByIds(
    db,
    rows.flatMap((row) => row.created_by_id ?? []),
  )
  return rows.map((row) => ({
    ...row,
    namespace_id: spaceOf.get(row.id) ?? null,
    highest_role: roleOf.get(row.id) ?? 0,
    created_by: row.created_by_id === null ? undefined : creators.get(row.created_by_id),
  }))
}

/** One page of users, newest first unless asked otherwise; exact matches of a search come first. */
export function list(
  db: Database,
  filter: UserFilter,
  paging: { order_by: string; sort: 'asc' | 'desc'; limit: number; offset: number },
): Rows<UserRow> {
  let query = q.selectFrom('users')
  const { search } = filter
  if (search) {
    query = query.where((eb) => {
      const email = filter.searchAllEmails
        ? [contains('email', search)]
        : [eb('public_email', '=', search), eb('email', '=', search)]
      return eb.or([contains('name', search), contains('username', search), ...email])
    })
  }
  if (filter.username !== undefined) query = query.where('username', '=', filter.username)
  if (filter.active) query = query.where('state', '=', 'active')
  if (filter.blocked)
    query = query.where('state', 'in', ['blocked', 'ldap_blocked', 'blocked_pending_approval'])
  if (filter.external) query = query.where('external', '=', 1)
  if (filter.exclude_external) query = query.where('external', '=', 0)
  if (filter.without_project_bots) query = query.where('bot', '=', 0)
  if (filter.admins) query = query.where('is_admin', '=', 1)
  if (filter.created_before) query = query.where('created_at', '<', filter.created_before)
  if (filter.created_after) query = query.where('created_at', '>', filter.created_after)
  const total = boundedCount(db, query.select('id'))
  const column = paging.order_by as 'id' | 'name' | 'username' | 'created_at' | 'updated_at'
  let ordered = query.selectAll()
  if (search) {
    ordered = ordered.orderBy((eb) =>
      eb
        .case()
        .when(eb.or([eb('username', '=', search), eb('name', '=', search), eb('email', '=', search)]))
        .then(0)
        .else(1)
        .end(),
    )
  }
  const rows = db.all(
    ordered.orderBy(column, paging.sort).orderBy('id', paging.sort).limit(paging.limit).offset(paging.offset),
  )
  return { rows, total }
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
