import type { Ctx } from '../../../ctx.ts'
import { tx, type Database } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { projectById, type Project } from '../../projects/index.ts'
import { MilestoneCreated } from './events.ts'
import type { MilestoneRow } from './milestone.ts'
import { projectOwner } from './owner.ts'
import { eventOf } from './service.ts'
import * as store from './store.ts'

/**
 * After a project went elsewhere, what was planned for milestones of the groups that it was in is planned for those of
 * the same title here: of the new groups, or else of the project itself.
 */
export function keepMilestones(ctx: Ctx, projectId: number): void {
  const project = projectById(ctx.db, projectId)
  if (!project) return
  tx(ctx.db, () => {
    for (const lost of outOfReach(ctx.db, project)) {
      const found = store.milestoneTitled(ctx.db, project, lost.title)
      moveUsesIn(ctx.db, project.id, lost.id, (found ?? copyInto(ctx, project, lost)).id)
    }
  })
}

function copyInto(ctx: Ctx, project: Project, milestone: MilestoneRow): MilestoneRow {
  const { title, description, state, start_date, due_date } = milestone
  const times = { created_at: ctx.now, updated_at: ctx.now }
  const values = { title, description, state, start_date, due_date, ...times }
  const copy = store.insert(ctx.db, projectOwner(project), values)
  publish(ctx, MilestoneCreated, eventOf(ctx, copy))
  return copy
}

/** Milestones that the project uses although they are neither its own nor of a group above it. */
function outOfReach(db: Database, project: Project): MilestoneRow[] {
  return db.many<MilestoneRow>(
    `${store.SELECT} WHERE m.group_id NOT IN (SELECT value FROM json_each(?)) AND m.id IN (
       SELECT milestone_id FROM issues WHERE project_id = ? AND milestone_id IS NOT NULL
       UNION SELECT milestone_id FROM merge_requests WHERE project_id = ? AND milestone_id IS NOT NULL
       UNION SELECT milestone_id FROM boards WHERE project_id = ? AND milestone_id IS NOT NULL
       UNION SELECT x.milestone_id FROM boards b JOIN board_lists x ON x.board_id = b.id
         WHERE b.project_id = ? AND x.milestone_id IS NOT NULL)`,
    project.lineage,
    project.id,
    project.id,
    project.id,
    project.id,
  )
}

const USES = [
  ['issues', 'project_id = ?'],
  ['merge_requests', 'project_id = ?'],
  ['boards', 'project_id = ?'],
  ['board_lists', 'board_id IN (SELECT id FROM boards WHERE project_id = ?)'],
  ['resource_milestone_events', 'issue_id IN (SELECT id FROM issues WHERE project_id = ?)'],
  ['resource_milestone_events', 'merge_request_id IN (SELECT id FROM merge_requests WHERE project_id = ?)'],
] as const

function moveUsesIn(db: Database, projectId: number, from: number, to: number): void {
  for (const [table, inProject] of USES)
    db.exec(
      `UPDATE ${table} SET milestone_id = ? WHERE milestone_id = ? AND ${inProject}`,
      to,
      from,
      projectId,
    )
}
