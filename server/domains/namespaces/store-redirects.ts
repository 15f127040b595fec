import { q, type Database } from '../../db/database.ts'

/** The old path of a namespace or project. */
export interface LeftPath {
  readonly full_path: string
  readonly project_id?: number
  readonly namespace_id?: number
}

/** Stores an old path. It replaces an earlier redirect from the same path. */
export function storeRedirect(db: Database, left: LeftPath, now: string): void {
  const { full_path, project_id = null, namespace_id = null } = left
  db.exec('DELETE FROM redirects WHERE full_path = ?', full_path)
  db.run(q.insertInto('redirects').values({ full_path, project_id, namespace_id, created_at: now }))
}

/** Deletes the redirect from a path that is in use again. */
export function endRedirect(db: Database, fullPath: string): void {
  db.exec('DELETE FROM redirects WHERE full_path = ?', fullPath)
}

const TREE = `WITH RECURSIVE tree (id) AS (SELECT ? UNION ALL SELECT n.id FROM namespaces n JOIN tree ON n.parent_id = tree.id)`

/** Stores the paths of a namespace and of everything below it. Call it before they change. */
export function storeRedirectsBelow(db: Database, namespaceId: number, now: string): void {
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

/** Deletes the redirects from the current paths of a namespace and of everything below it. */
export function endRedirectsBelow(db: Database, namespaceId: number): void {
  db.exec(
    `${TREE} DELETE FROM redirects WHERE full_path IN (
       SELECT n.full_path FROM namespaces n WHERE n.id IN (SELECT id FROM tree)
       UNION ALL SELECT n.full_path || '/' || p.path FROM projects p JOIN namespaces n ON n.id = p.namespace_id
       WHERE n.id IN (SELECT id FROM tree))`,
    namespaceId,
  )
}

/** Returns the ID of the project that an old path redirects to. */
export function movedProject(db: Database, fullPath: string): number | undefined {
  return redirectFrom(db, fullPath)?.project_id ?? undefined
}

/** Returns the ID of the group or personal namespace that an old path redirects to. */
export function movedNamespace(db: Database, fullPath: string): number | undefined {
  return redirectFrom(db, fullPath)?.namespace_id ?? undefined
}

function redirectFrom(db: Database, fullPath: string) {
  return db.one<{ project_id: number | null; namespace_id: number | null }>(
    'SELECT project_id, namespace_id FROM redirects WHERE full_path = ?',
    fullPath,
  )
}
