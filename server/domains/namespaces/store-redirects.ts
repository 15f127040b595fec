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

const TREE = `WITH RECURSIVE tree (id) AS (SELECT ? UNION ALL SELECT n.id FROM namespaces n JOIN tree ON n.parent_id = tree.id)`

/** Remembers the addresses of a namespace and of everything below it; to be called before they change. */
export function leaveRedirectsBelow(db: Database, namespaceId: number, now: string): void {
  db.exec(
    `${TREE} INSERT OR REPLACE INTO redirects (full_path, namespace_id, created_at)
     SELECT n.full_path, n.id, ? FROM namespaces n WHERE n.id IN (SELECT id FROM tree)`,
    namespaceId,
    now,
  )
  db.exec(
    `${TREE} INSERT OR REPLACE INTO redirects (full_path, project_id, created_at)
     SELECT n.full_path || '/' || p.path, p.id, ? FROM projects p JOIN namespaces n ON n.id = p.namespace_id
     WHERE n.id IN (SELECT id FROM tree)`,
    namespaceId,
    now,
  )
}

/** Ends the redirects at what are now the addresses of a namespace and of everything below it. */
export function endRedirectsBelow(db: Database, namespaceId: number): void {
  db.exec(
    `${TREE} DELETE FROM redirects WHERE full_path IN (
       SELECT n.full_path FROM namespaces n WHERE n.id IN (SELECT id FROM tree)
       UNION ALL SELECT n.full_path || '/' || p.path FROM projects p JOIN namespaces n ON n.id = p.namespace_id
       WHERE n.id IN (SELECT id FROM tree))`,
    namespaceId,
  )
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
