import { sql, type RawBuilder, type SqlBool } from 'kysely'

import type { Ctx } from '../../../ctx.ts'
import { selectAll } from '../../../db/lists.ts'
import { fail } from '../../../lib/fail.ts'
import { seesAll } from '../../../policy/actor.ts'
import { MAINTAINER, OWNER, type Level } from '../../../policy/levels.ts'
import { groupsOfMember, projectsOfMember } from '../../members/index.ts'
import type { RunnerRow } from './store.ts'

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
