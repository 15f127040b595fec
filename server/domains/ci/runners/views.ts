import type { Ctx } from '../../../ctx.ts'
import type { Rows } from '../../../db/rows.ts'
import { fail } from '../../../lib/fail.ts'
import { findGroup, type Group } from '../../groups/index.ts'
import { projectsByIds, type Project } from '../../projects/index.ts'
import type { JobRow } from '../jobs/store.ts'
import { showJobs, type JobView } from '../jobs/view.ts'
import { withContact } from './contact.ts'
import { maySee } from '../visibility.ts'
import { findRunner } from './service.ts'
import * as store from './store-list.ts'
import type { RunnerRow } from './store.ts'

/** A runner with those of its projects and groups that the actor may see. */
export interface RunnerDetailsView {
  readonly row: RunnerRow
  readonly projects: readonly Project[]
  readonly groups: readonly Pick<Group, 'id' | 'name' | 'kind' | 'full_path'>[]
}

/** A page of the runners that meet a condition, with their newest contacts, the newest runner first. */
export function listRunners(
  ctx: Ctx,
  among: Parameters<typeof store.list>[2]['among'],
  filter: store.RunnerFilter,
  page: { readonly limit: number; readonly offset: number },
): Rows<RunnerRow> {
  const { rows, total } = store.list(ctx.db, ctx.now, { among, filter }, page)
  return { rows: rows.map((row) => withContact(ctx.db, row)), total }
}

/** Loads the details of a runner. */
export function showRunner(ctx: Ctx, row: RunnerRow): RunnerDetailsView {
  return {
    row: withContact(ctx.db, row),
    projects: visibleProjects(ctx, row),
    groups: visibleGroups(ctx, row),
  }
}

function visibleProjects(ctx: Ctx, row: RunnerRow): Project[] {
  if (row.runner_type !== 'project_type') return []
  return projectsByIds(ctx.db, store.visibleProjectIds(ctx.db, ctx, row.id)).sort((a, b) => a.id - b.id)
}

function visibleGroups(ctx: Ctx, row: RunnerRow): Group[] {
  if (row.group_id === null || !store.isVisibleGroup(ctx.db, ctx, row.group_id)) return []
  const group = findGroup(ctx, String(row.group_id))
  return group ? [group] : []
}

/** A page of the jobs of a runner, in projects in which the actor has at least the Reporter role (spec rest-api, Runners). */
export async function jobsOfRunner(ctx: Ctx, id: number, filter: store.JobFilter): Promise<Rows<JobView>> {
  const runner = findRunner(ctx, id)
  if (!maySee(ctx, runner)) throw fail('forbidden', '403 Forbidden - No access granted')
  const { rows, total } = store.jobsOf(ctx.db, ctx, id, filter)
  return { rows: await jobViews(ctx, rows), total }
}

/** Loads the data for the entities of jobs of several projects. The order of the jobs is kept. */
async function jobViews(ctx: Ctx, rows: readonly JobRow[]): Promise<JobView[]> {
  const owners = projectsByIds(ctx.db, [...new Set(rows.map((row) => row.project_id))])
  const views = new Map<number, JobView>()
  for (const owner of owners) {
    const ownRows = rows.filter((row) => row.project_id === owner.id)
    for (const view of await showJobs(ctx, owner, ownRows)) views.set(view.row.id, view)
  }
  return rows.flatMap((row) => views.get(row.id) ?? [])
}
