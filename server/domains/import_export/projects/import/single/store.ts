import type { Selectable } from 'kysely'

import type { Database } from '../../../../../db/database.ts'
import type { Rows } from '../../../../../db/rows.ts'
import type { RelationImportsTable } from '../../../../../db/schema.gen.ts'

/** One relation of an archive that is taken into a project once more. */
export type RelationImport = Selectable<RelationImportsTable>

export function byId(db: Database, id: number): RelationImport | undefined {
  return db.one<RelationImport>('SELECT * FROM relation_imports WHERE id = ?', id)
}

/** True while one is under way in the project. */
export function isBusy(db: Database, projectId: number): boolean {
  const sql = "SELECT 1 FROM relation_imports WHERE project_id = ? AND status IN ('created', 'started')"
  return db.one(sql, projectId) !== undefined
}

/** One page of those of a project, newest first. */
export function ofProject(
  db: Database,
  projectId: number,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Rows<RelationImport> {
  const rows = db.many<RelationImport>(
    'SELECT * FROM relation_imports WHERE project_id = ? ORDER BY id DESC LIMIT ? OFFSET ?',
    projectId,
    limit,
    offset,
  )
  const sql = 'SELECT count(*) AS total FROM relation_imports WHERE project_id = ?'
  return { rows, total: db.one<{ total: number }>(sql, projectId)!.total }
}

export function insert(
  db: Database,
  row: Pick<RelationImport, 'project_id' | 'user_id' | 'relation'> & { readonly now: string },
): RelationImport {
  return db.one<RelationImport>(
    `INSERT INTO relation_imports (project_id, user_id, relation, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?) RETURNING *`,
    row.project_id,
    row.user_id,
    row.relation,
    row.now,
    row.now,
  )!
}

/** Undefined when it is gone, with its project. */
export function update(
  db: Database,
  id: number,
  changes: Partial<Pick<RelationImport, 'status' | 'file' | 'error'>>,
  now: string,
): RelationImport | undefined {
  const names = Object.keys(changes) as (keyof typeof changes)[]
  return db.one<RelationImport>(
    `UPDATE relation_imports SET ${names.map((name) => `${name} = ?, `).join('')}updated_at = ? WHERE id = ? RETURNING *`,
    ...names.map((name) => changes[name]),
    now,
    id,
  )
}
