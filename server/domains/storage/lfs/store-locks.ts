import type { Selectable } from 'kysely'

import { jsonList, q, type Database } from '../../../db/database.ts'
import type { LfsLocksTable } from '../../../db/schema.gen.ts'

/** A lock on a path, with the username and the name of its owner. */
export type LfsLock = Selectable<LfsLocksTable> & { readonly username: string; readonly name: string }

/** Filters on the locks of a project. */
export interface LockFilter {
  readonly id?: number | undefined
  readonly path?: string | undefined
  /** Only locks with a higher ID. */
  readonly after: number
  readonly limit: number
}

const SELECT = `SELECT l.*, u.username, u.name FROM lfs_locks l JOIN users u ON u.id = l.user_id`

/** The locks of a project that match the filter, oldest first. */
export function locksOf(db: Database, projectId: number, { id, path, after, limit }: LockFilter): LfsLock[] {
  if (path !== undefined) {
    const lock = lockOn(db, projectId, path)
    return lock && lock.id > after && (id === undefined || id === lock.id) ? [lock] : []
  }
  if (id !== undefined) {
    const lock = lockById(db, projectId, id)
    return lock && lock.id > after ? [lock] : []
  }
  return db.many(
    `${SELECT} WHERE l.project_id = ? AND l.id > ? ORDER BY l.id LIMIT ?`,
    projectId,
    after,
    limit,
  )
}

export function lockOn(db: Database, projectId: number, path: string): LfsLock | undefined {
  return db.one(`${SELECT} WHERE l.project_id = ? AND l.path = ?`, projectId, path)
}

export function lockById(db: Database, projectId: number, id: number): LfsLock | undefined {
  return db.one(`${SELECT} WHERE l.id = ? AND l.project_id = ?`, id, projectId)
}

/** Locks a path for a user. Returns undefined if the path is already locked. */
export function insertLock(
  db: Database,
  row: Pick<LfsLock, 'project_id' | 'user_id' | 'path' | 'ref' | 'locked_at'>,
): LfsLock | undefined {
  const added = db.get(
    q
      .insertInto('lfs_locks')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .returning('id'),
  )
  return added && lockById(db, row.project_id, added.id)
}

export function removeLock(db: Database, id: number): void {
  db.run(q.deleteFrom('lfs_locks').where('id', '=', id))
}

/** Whether any path of a project is locked. */
export function hasLocks(db: Database, projectId: number): boolean {
  return db.rememberRows(
    `lfs-locks:${projectId}`,
    () => db.one('SELECT 1 FROM lfs_locks WHERE project_id = ? LIMIT 1', projectId) !== undefined,
  )
}

/** The locks on the given paths of a project. */
export function locksAmong(db: Database, projectId: number, paths: readonly string[]): LfsLock[] {
  return db.many(
    `${SELECT} WHERE l.project_id = ? AND l.path IN (SELECT value FROM json_each(?)) ORDER BY l.id`,
    projectId,
    jsonList(paths),
  )
}
