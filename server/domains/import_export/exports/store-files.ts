import type { SnippetRow } from '../../snippets/index.ts'

/** A connection of the main thread, or of a thread that reads. */
interface Db {
  many<T>(sql: string, ...parameters: readonly unknown[]): T[]
}

/** Rows that are read at once. */
const PAGE = 500

/**
 * Iterates over rows by id in pages, so that no statement stays open while files are packed. `sql` has the owner, the last id
 * and the limit.
 */
function* paged<Row extends { readonly id: number }>(db: Db, sql: string, ownerId: number): Generator<Row> {
  for (let last = 0; ;) {
    const rows = db.many<Row>(sql, ownerId, last, PAGE)
    yield* rows
    if (rows.length < PAGE) return
    last = rows.at(-1)!.id
  }
}

interface Upload {
  readonly id: number
  readonly secret: string
  readonly file_name: string
}

/** The uploads of a project. */
export function uploadsOf(db: Db, projectId: number): Generator<Upload> {
  const uploads =
    'SELECT id, secret, file_name FROM uploads WHERE project_id = ? AND id > ? ORDER BY id LIMIT ?'
  return paged<Upload>(db, uploads, projectId)
}

interface LfsObject {
  readonly id: number
  readonly oid: string
  /** JSON: the repositories that refer to it. */
  readonly types: string
}

/** The LFS objects of a project. */
export function lfsObjectsOf(db: Db, projectId: number): Generator<LfsObject> {
  return paged<LfsObject>(
    db,
    `SELECT o.id, o.oid, json_group_array(p.repository_type) AS types
     FROM lfs_objects_projects p JOIN lfs_objects o ON o.id = p.lfs_object_id
     WHERE p.project_id = ? AND o.id > ? GROUP BY o.id ORDER BY o.id LIMIT ?`,
    projectId,
  )
}

/** The snippets of a project that have a repository. */
export function snippetsOf(db: Db, projectId: number): Generator<SnippetRow> {
  return paged<SnippetRow>(
    db,
    `SELECT * FROM snippets WHERE project_id = ? AND repository_state = 'ready' AND id > ? ORDER BY id LIMIT ?`,
    projectId,
  )
}
