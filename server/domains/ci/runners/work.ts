import { sql } from 'kysely'

import type { Ctx } from '../../../ctx.ts'
import { boundedCount, selectAll } from '../../../db/lists.ts'
import { fail } from '../../../lib/fail.ts'
import { seesAll } from '../../../policy/actor.ts'
import { REPORTER } from '../../../policy/levels.ts'
import { projectsOfMember } from '../../members/index.ts'
import { projectsByIds } from '../../projects/index.ts'
import type { JobRow } from '../jobs/store.ts'
import { showJobs, type JobView } from '../jobs/view.ts'
import { maySee } from './rights.ts'
import { findRunner } from './service.ts'

/** Which jobs of a runner are asked for. */
export interface WorkFilter {
  readonly status?: string | undefined
  readonly sort: 'asc' | 'desc'
  readonly limit: number
  readonly offset: number
}

/** Jobs that a runner took, in projects where the reader is a reporter at least (spec rest-api, Runners). */
export async function jobsOfRunner(ctx: Ctx, id: number, filter: WorkFilter) {
  const runner = findRunner(ctx, id)
  if (!maySee(ctx, runner)) throw fail('forbidden', '403 Forbidden - No access granted')
  const status = filter.status ? sql`AND j.status = ${filter.status}` : sql``
  const mine = seesAll(ctx.actor)
    ? sql``
    : sql`AND j.project_id IN (SELECT p.id FROM projects p WHERE p.builds_access_level <> 'disabled'
        AND ${projectsOfMember(ctx, REPORTER)})`
  const from = sql`FROM ci_jobs j INDEXED BY ci_jobs_runner WHERE j.runner_id = ${id} ${status} ${mine}`
  const order = filter.sort === 'asc' ? sql`ASC` : sql`DESC`
  const page = sql<JobRow>`SELECT j.* ${from} ORDER BY j.id ${order} LIMIT ${filter.limit} OFFSET ${filter.offset}`
  const rows = selectAll(ctx.db, page)
  return { rows: await showed(ctx, rows), total: boundedCount(ctx.db, sql`SELECT j.id ${from}`) }
}

/** Jobs of several projects, in their order. */
async function showed(ctx: Ctx, rows: readonly JobRow[]): Promise<JobView[]> {
  const owners = projectsByIds(ctx.db, [...new Set(rows.map((row) => row.project_id))])
  const views = new Map<number, JobView>()
  for (const owner of owners) {
    const own = rows.filter((row) => row.project_id === owner.id)
    for (const view of await showJobs(ctx, owner, own)) views.set(view.row.id, view)
  }
  return rows.flatMap((row) => views.get(row.id) ?? [])
}
