import { sql, type RawBuilder, type SqlBool } from 'kysely'

import type { Ctx } from '../../../ctx.ts'
import { selectAll } from '../../../db/lists.ts'
import { fail } from '../../../lib/fail.ts'
import { seesAll } from '../../../policy/actor.ts'
import { MAINTAINER, OWNER, type Level } from '../../../policy/levels.ts'
import { findGroup, group } from '../../groups/index.ts'
import { groupsOfMember, projectsOfMember } from '../../members/index.ts'
import { findProject, project } from '../../projects/index.ts'
import { byId, type RunnerRow } from './store.ts'

type Viewer = Pick<Ctx, 'actor' | 'now'>

/**
 * Runners (alias `r`) of projects that the viewer maintains, and of groups where they have at least a level
 * (spec ci 3.1). Runners of the instance are nobody's.
 */
export function runnersOf(viewer: Viewer, onGroup: Level): RawBuilder<SqlBool> {
  return sql<SqlBool>`r.id IN (
    SELECT rp.runner_id FROM runner_projects rp CROSS JOIN projects p ON p.id = rp.project_id
      WHERE ${projectsOfMember(viewer, MAINTAINER, 'check')}
    UNION ALL SELECT g.id FROM runners g WHERE g.group_id IN (
      SELECT n.id FROM namespaces n WHERE ${groupsOfMember(viewer, onGroup)}))`
}

function isOf(ctx: Ctx, row: RunnerRow, onGroup: Level): boolean {
  const condition = runnersOf(ctx, onGroup)
  return selectAll(ctx.db, sql`SELECT 1 FROM runners r WHERE r.id = ${row.id} AND ${condition}`).length > 0
}

/** Whether somebody may see the details of a runner: maintainers; those of the instance are seen by everybody signed in. */
export function maySee(ctx: Ctx, row: RunnerRow): boolean {
  return row.runner_type === 'instance_type' || seesAll(ctx.actor) || isOf(ctx, row, MAINTAINER)
}

/** Whether somebody may change a runner: maintainers of a project of it, owners of its group, else administrators. */
export function mayManage(ctx: Ctx, row: RunnerRow): boolean {
  return ctx.actor.is_admin || isOf(ctx, row, OWNER)
}

/** Throws the 403 of the contract for who may not change a runner. */
export function insistManages(ctx: Ctx, row: RunnerRow): void {
  if (!mayManage(ctx, row)) throw fail('forbidden', '403 Forbidden - No access granted')
}

/** What an event about a runner says of it. */
interface RunnerEvent {
  readonly runner_id: number
  readonly project_id?: number | undefined
  readonly group_id?: number | undefined
}

/** Whether a window may hear what happens to a runner: of those of the instance only administrators do, who hear all. */
export function mayHearOfRunner(ctx: Ctx, { runner_id, project_id, group_id }: RunnerEvent): boolean {
  const row = byId(ctx.db, runner_id)
  if (row) return isOf(ctx, row, MAINTAINER)
  // It was removed; what it worked for is still there.
  const owner = project_id === undefined ? undefined : findProject(ctx, String(project_id))
  if (owner) return project.roleOf(ctx, owner) >= MAINTAINER
  const above = group_id === undefined ? undefined : findGroup(ctx, String(group_id))
  return above !== undefined && group.roleOf(ctx, above) >= MAINTAINER
}
