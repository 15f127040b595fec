import type { Ctx } from '../../../ctx.ts'
import { tx, type Database } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { projectById, type Project } from '../../projects/index.ts'
import { LabelCreated } from './events.ts'
import type { LabelRow } from './label.ts'
import { projectOwner } from './owner.ts'
import { eventOf } from './service.ts'
import * as store from './store.ts'

/**
 * After a project went elsewhere, what had labels of the groups that it was in has labels of the same title here: those
 * that the new groups have, or else ones of the project's own.
 */
export function keepLabels(ctx: Ctx, projectId: number): void {
  const project = projectById(ctx.db, projectId)
  if (!project) return
  tx(ctx.db, () => {
    for (const lost of outOfReach(ctx.db, project)) {
      const found = store.titled(ctx.db, projectOwner(project), [lost.title])[0]
      moveUsesIn(ctx.db, project.id, lost.id, (found ?? copyInto(ctx, project, lost)).id)
    }
  })
}

function copyInto(ctx: Ctx, project: Project, label: LabelRow): LabelRow {
  const copy = store.insert(ctx.db, {
    project_id: project.id,
    group_id: null,
    title: label.title,
    color: label.color,
    description: label.description,
    description_html: label.description_html,
    locked: label.locked,
    created_at: ctx.now,
    updated_at: ctx.now,
  })
  publish(ctx, LabelCreated, eventOf(ctx, copy))
  return copy
}

/** Labels that the project uses although they are neither its own nor of a group above it. */
function outOfReach(db: Database, project: Project): LabelRow[] {
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

/** Tables whose rows name a label, and which of their rows belong to a project. */
const USES = [
  ['issue_labels', ISSUES],
  ['merge_request_labels', REQUESTS],
  ['resource_label_events', ISSUES],
  ['resource_label_events', REQUESTS],
  ['label_priorities', 'project_id = ?'],
  ['board_lists', BOARDS],
  ['board_labels', BOARDS],
] as const

/** Gives what is in a project and has one label another one; what had both already loses the first. */
function moveUsesIn(db: Database, projectId: number, from: number, to: number): void {
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
