import type { Insertable, Updateable } from 'kysely'

import { jsonList, q, type Database } from '../../../db/database.ts'
import type { IssuesTable } from '../../../db/schema.gen.ts'
import type { IssueRow } from './issue.ts'

/** The issue of that number in a project. */
export function byIid(db: Database, projectId: number, iid: number): IssueRow | undefined {
  return db.one<IssueRow>('SELECT * FROM issues WHERE project_id = ? AND iid = ?', projectId, iid)
}

/** The issue of that id. */
export function byId(db: Database, id: number): IssueRow | undefined {
  return db.one<IssueRow>('SELECT * FROM issues WHERE id = ?', id)
}

/** Issues by id, in no order. */
export function byIds(db: Database, ids: readonly number[]): IssueRow[] {
  return db.many<IssueRow>('SELECT * FROM issues WHERE id IN (SELECT value FROM json_each(?))', jsonList(ids))
}

/** Stores an issue. Throws `UniqueViolation` when the project has one of that number. */
export function insert(db: Database, row: Insertable<IssuesTable>): IssueRow {
  return db.get<IssueRow>(q.insertInto('issues').values(row).returningAll())!
}

/** Changes columns and gives the row as it is now. */
export function update(db: Database, id: number, changes: Updateable<IssuesTable>): IssueRow {
  return db.get<IssueRow>(q.updateTable('issues').set(changes).where('id', '=', id).returningAll())!
}

export function remove(db: Database, id: number): void {
  db.exec('DELETE FROM issues WHERE id = ?', id)
}

/** Full paths of the projects of some issues. */
export function projectPaths(db: Database, ids: readonly number[]): Map<number, string> {
  const rows = db.many<{ id: number; path: string }>(
    `SELECT p.id, n.full_path || '/' || p.path AS path FROM projects p JOIN namespaces n ON n.id = p.namespace_id
     WHERE p.id IN (SELECT value FROM json_each(?))`,
    jsonList([...new Set(ids)]),
  )
  return new Map(rows.map((row) => [row.id, row.path]))
}

/** How many open issues each of some issues blocks. The join is crossed so that it begins with the links. */
export function blockedCounts(db: Database, ids: readonly number[]): Map<number, number> {
  const rows = db.many<{ id: number; count: number }>(
    `SELECT l.source_id AS id, count(*) AS count FROM issue_links l CROSS JOIN issues t ON t.id = l.target_id
     WHERE l.source_id IN (SELECT value FROM json_each(?)) AND l.link_type = 'blocks' AND +t.state = 'opened'
     GROUP BY l.source_id`,
    jsonList(ids),
  )
  return new Map(rows.map((row) => [row.id, row.count]))
}
