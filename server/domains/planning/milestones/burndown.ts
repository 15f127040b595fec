import { sql } from 'kysely'

import type { Ctx } from '../../../ctx.ts'
import { selectAll } from '../../../db/lists.ts'
import { notHidden, readable } from '../labels/reach.ts'
import type { BurndownRow } from './entity.ts'

/** When the issues that are in a milestone today were opened, closed and reopened, in order of time. */
export function burndownOf(ctx: Ctx, milestoneId: number): BurndownRow[] {
  const issues = sql`SELECT i.id, i.weight, i.created_at FROM issues i WHERE i.milestone_id = ${milestoneId}
    AND i.project_id IN (SELECT p.id FROM projects p WHERE ${readable(ctx, 'issues')}) AND ${notHidden(ctx)}`
  return selectAll(
    ctx.db,
    sql<BurndownRow>`WITH found AS (${issues})
      SELECT created_at, weight, action FROM (
        SELECT f.created_at, f.weight, 'created' AS action, f.id FROM found f
        UNION ALL SELECT e.created_at, f.weight, e.state, e.id FROM found f
          JOIN resource_state_events e ON e.issue_id = f.id WHERE e.state IN ('closed', 'reopened')
      ) ORDER BY created_at, action = 'created' DESC, id`,
  )
}
