import { on, type Subscription, publish } from '../../../events/publish.ts'
import { GroupTransferred } from '../../groups/events.ts'
import { projectIdsBelow } from '../labels/store.ts'
import { ProjectTransferred } from '../../projects/events.ts'
import type { Ctx } from '../../../ctx.ts'
import { tx, type Database } from '../../../db/database.ts'
import { projectById, type Project } from '../../projects/index.ts'
import { MilestoneCreated } from '../events.ts'
import type { MilestoneRow } from './store.ts'
import { projectOwner } from '../types-owner.ts'
import { eventFields } from './service.ts'
import * as store from './store.ts'

/**
 * Replaces the milestones of former parent groups in a moved project: by milestones of the new groups with the same
 * title, or by copies in the project.
 */
function keepMilestones(ctx: Ctx, projectId: number): void {
  const project = projectById(ctx.db, projectId)
  if (!project) return
  tx(ctx.db, () => {
    for (const former of formerMilestones(ctx.db, project)) {
      const milestone = store.milestoneTitled(ctx.db, project, former.title)
      moveUsesIn(ctx.db, project.id, former.id, (milestone ?? copyInto(ctx, project, former)).id)
    }
  })
}

function copyInto(ctx: Ctx, project: Project, milestone: MilestoneRow): MilestoneRow {
  const { title, description, state, start_date, due_date } = milestone
  const times = { created_at: ctx.now, updated_at: ctx.now }
  const values = { title, description, state, start_date, due_date, ...times }
  const copy = store.insert(ctx.db, projectOwner(project), values)
  publish(ctx, MilestoneCreated, eventFields(ctx, copy))
  return copy
}

/** Lists the milestones of former parent groups that a moved project still uses. */
function formerMilestones(db: Database, project: Project): MilestoneRow[] {
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

/** Issues and merge requests keep their milestones when a project or group moves to another namespace. */
export const subscribers: readonly Subscription[] = [
  on(ProjectTransferred, 'milestones.keep_in_project', (ctx, { project_id }) =>
    keepMilestones(ctx, project_id),
  ),
  on(GroupTransferred, 'milestones.keep_in_group', (ctx, { group_id }) => {
    for (const id of projectIdsBelow(ctx.db, group_id)) keepMilestones(ctx, id)
  }),
]
