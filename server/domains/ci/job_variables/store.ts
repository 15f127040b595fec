import { fullPath } from '../../projects/index.ts'
import type { Database } from '../../../db/database.ts'

/** The names of the languages of a project, the most used one first. */
export function languagesOf(db: Database, projectId: number): string[] {
  const sql = 'SELECT name FROM project_languages WHERE project_id = ? ORDER BY share DESC, name'
  return db.many<{ name: string }>(sql, projectId).map(({ name }) => name)
}

const MAX_REQUESTS = 4

/**
 * Up to four open merge requests of a branch, as `group/project!1`. It reads their table directly, because the domain of
 * merge requests depends on this one.
 */
export function openRequestsOf(db: Database, projectId: number, branch: string): string[] {
  return db
    .many<{ namespace_full_path: string; path: string; iid: number }>(
      `SELECT n.full_path AS namespace_full_path, p.path, r.iid FROM merge_requests r
         JOIN projects p ON p.id = r.project_id JOIN namespaces n ON n.id = p.namespace_id
       WHERE r.source_project_id = ? AND r.source_branch = ? AND r.state = 'opened' ORDER BY r.id LIMIT ?`,
      projectId,
      branch,
      MAX_REQUESTS,
    )
    .map((row) => `${fullPath(row)}!${row.iid}`)
}

const MAX_DESCRIPTION = 1024

/**
 * The description of a tag's release, cut off at the maximum length. Undefined if there is none. It reads the table
 * directly, because the domain of releases depends on this one.
 */
export function releaseTextOf(db: Database, projectId: number, tag: string): string | undefined {
  const sql = 'SELECT description FROM releases WHERE project_id = ? AND tag = ?'
  const text = db.one<{ description: string | null }>(sql, projectId, tag)?.description
  return text?.slice(0, MAX_DESCRIPTION).toWellFormed()
}
