import { q, type Database } from '../../db/database.ts'

/** An address that led to something before it was renamed or moved. */
export interface LeftPath {
  readonly full_path: string
  readonly project_id?: number
  readonly namespace_id?: number
}

/** Remembers an old address; whoever had left the same one before gives it up. */
export function leaveRedirect(db: Database, left: LeftPath, now: string): void {
  const { full_path, project_id = null, namespace_id = null } = left
  db.exec('DELETE FROM redirects WHERE full_path = ?', full_path)
  db.run(q.insertInto('redirects').values({ full_path, project_id, namespace_id, created_at: now }))
}

/** A new owner of an address ends the redirect that was left there. */
export function endRedirect(db: Database, fullPath: string): void {
  db.exec('DELETE FROM redirects WHERE full_path = ?', fullPath)
}

/** The id of the project that an old address leads to. */
export function movedProject(db: Database, fullPath: string): number | undefined {
  return at(db, fullPath)?.project_id ?? undefined
}

/** The id of the group or personal namespace that an old address leads to. */
export function movedNamespace(db: Database, fullPath: string): number | undefined {
  return at(db, fullPath)?.namespace_id ?? undefined
}

function at(db: Database, fullPath: string) {
  return db.one<{ project_id: number | null; namespace_id: number | null }>(
    'SELECT project_id, namespace_id FROM redirects WHERE full_path = ?',
    fullPath,
  )
}
