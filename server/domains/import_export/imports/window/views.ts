import type { Ctx } from '../../../../ctx.ts'
import { sql } from 'kysely'

import { boundedCount, selectAll } from '../../../../db/lists.ts'
import { jsonList } from '../../../../db/database.ts'
import type { Rows } from '../../../../db/rows.ts'
import { MAINTAINER } from '../../../../policy/levels.ts'
import { roleOnProject, visibleProjects } from '../../../members/index.ts'
import { projectsByIds, type Project } from '../../../projects/index.ts'
import { countFailures } from '../failures.ts'
import { canRetry } from '../retry.ts'
import * as store from '../../runs/store.ts'
import type { ProgressView } from './entity.ts'

/** How the import of one project goes. */
export function progressOf(ctx: Ctx, project: Project): ProgressView {
  const failures = countFailures(ctx.db, { project_id: project.id })
  return view(ctx, { project, run: store.byProject(ctx.db, project.id), failures })
}

function view(ctx: Ctx, found: Pick<ProgressView, 'project' | 'run' | 'failures'>): ProgressView {
  const maintains = ctx.actor.is_admin || roleOnProject(ctx, found.project) >= MAINTAINER
  return { ...found, maintains, can_retry: canRetry(ctx.db, found.project, found.run) }
}

/** One page of the caller's imports, newest first. */
export function importsOf(
  ctx: Ctx,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Rows<ProgressView> {
  const from = sql`FROM import_runs r JOIN projects p ON p.id = r.project_id
    WHERE r.user_id = ${ctx.actor.id} AND ${visibleProjects(ctx, 'check')}`
  const page = sql<store.Run>`SELECT r.* ${from} ORDER BY r.id DESC LIMIT ${limit} OFFSET ${offset}`
  const runs = selectAll(ctx.db, page)
  const ids = runs.map((run) => run.project_id)
  const projects = new Map(projectsByIds(ctx.db, ids).map((one) => [one.id, one]))
  const failures = failuresOf(ctx, ids)
  const rows = runs.map((run) =>
    view(ctx, { project: projects.get(run.project_id)!, run, failures: failures.get(run.project_id) ?? 0 }),
  )
  return { rows, total: boundedCount(ctx.db, sql`SELECT 1 ${from}`) }
}

function failuresOf(ctx: Ctx, projectIds: readonly number[]): Map<number, number> {
  const rows = ctx.db.many<{ project_id: number; total: number }>(
    `SELECT project_id, count(*) AS total FROM import_failures
     WHERE project_id IN (SELECT value FROM json_each(?)) GROUP BY project_id`,
    jsonList(projectIds),
  )
  return new Map(rows.map((row) => [row.project_id, row.total]))
}
