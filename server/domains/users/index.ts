import type { Database } from '../../db/database.ts'
import * as details from './details.ts'
import * as store from './store.ts'

export type { UserRow, UserBasicRow } from './store.ts'
export type { UserDetailRow } from './details.ts'
export { profileParams } from './profile-params.ts'
export { checkFree, checkIdentity, insertUser, passwordHash, type NewUserInput } from './service.ts'

/** The user of that id. */
export function userById(db: Database, id: number): store.UserRow | undefined {
  return store.byId(db, id)
}

/** The user of that name, whatever its case. */
export function userByUsername(db: Database, username: string): store.UserRow | undefined {
  return store.byUsername(db, username)
}

/** The user whose name or e-mail address that is. */
export function userByLogin(db: Database, login: string): store.UserRow | undefined {
  return store.byLogin(db, login)
}

/** Users in their nested form, by id; unknown ids are left out. */
export function usersById(db: Database, ids: readonly number[]): Map<number, store.UserBasicRow> {
  return store.basicByIds(db, ids)
}

/** The user with what the larger views show; `viewerId` is who looks. */
export function withDetails(
  db: Database,
  row: store.UserRow,
  viewerId: number | null = null,
): details.UserDetailRow {
  return details.withDetails(db, [row], viewerId)[0]!
}

/** True when the instance has a user. */
export function hasUsers(db: Database): boolean {
  return store.exists(db)
}

/** True once somebody can sign in with a password; until then the first run is open. */
export function anyPassword(db: Database): boolean {
  return store.anyPassword(db)
}

/** The administrator who was there first: the owner of a personal instance. */
export function firstAdmin(db: Database): store.UserRow | undefined {
  return store.firstAdmin(db)
}

/** Changes a user's row. */
export function updateUser(
  db: Database,
  id: number,
  changes: Partial<Omit<store.UserRow, 'id'>>,
): store.UserRow {
  return store.update(db, id, changes)
}
