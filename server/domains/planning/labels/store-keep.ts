import type { Database } from '../../../db/database.ts'
import type { Project } from '../../projects/index.ts'
import type { LabelRow } from './label.ts'

/** Lists the labels of former parent groups that a moved project still uses. */
export function formerLabels(db: Database, project: Project): LabelRow[] {
  return db.many<LabelRow>(
    `SELECT * FROM labels WHERE group_id NOT IN (SELECT value FROM json_each(?)) AND id IN (
       SELECT x.label_id FROM issues i JOIN issue_labels x ON x.issue_id = i.id WHERE i.project_id = ?
       UNION SELECT x.label_id FROM merge_requests r JOIN merge_request_labels x ON x.merge_request_id = r.id
         WHERE r.project_id = ?
       UNION SELECT label_id FROM label_priorities WHERE project_id = ?
       UNION SELECT x.label_id FROM boards b JOIN board_lists x ON x.board_id = b.id WHERE b.project_id = ?
       UNION SELECT x.label_id FROM boards b JOIN board_labels x ON x.board_id = b.id WHERE b.project_id = ?)`,
    project.lineage,
    project.id,
    project.id,
    project.id,
    project.id,
    project.id,
  )
}

const ISSUES = 'issue_id IN (SELECT id FROM issues WHERE project_id = ?)'

const REQUESTS = 'merge_request_id IN (SELECT id FROM merge_requests WHERE project_id = ?)'

const BOARDS = 'board_id IN (SELECT id FROM boards WHERE project_id = ?)'

/** Tables that refer to labels, and the condition for the rows of a project. */
const USES = [
  ['issue_labels', ISSUES],
  ['merge_request_labels', REQUESTS],
  ['resource_label_events', ISSUES],
  ['resource_label_events', REQUESTS],
  ['label_priorities', 'project_id = ?'],
  ['board_lists', BOARDS],
  ['board_labels', BOARDS],
] as const

/** Replaces a label by another one in a project. A record with both keeps the other one. */
export function moveUsesIn(db: Database, projectId: number, from: number, to: number): void {
  for (const [table, inProject] of USES) {
    db.exec(
      `UPDATE OR IGNORE ${table} SET label_id = ? WHERE label_id = ? AND ${inProject}`,
      to,
      from,
      projectId,
    )
    db.exec(`DELETE FROM ${table} WHERE label_id = ? AND ${inProject}`, from, projectId)
  }
}
