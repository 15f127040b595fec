import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import type { Rows } from '../../../db/rows.ts'
import { notFound } from '../../../lib/fail.ts'
import type { Project } from '../../projects/index.ts'
import { showJobs, type JobView } from '../jobs/view.ts'
import { grantNext } from '../processing/state.ts'
import type { ProcessMode } from './entity.ts'
import * as store from './store.ts'
import type { ResourceGroupRow } from './store.ts'

/** One page of the groups of a project. */
export function findGroups(
  ctx: Ctx,
  project: Project,
  paging: { limit: number; offset: number },
): Rows<ResourceGroupRow> {
  return store.list(ctx.db, project.id, paging)
}

/** The group of a key. Throws 404. */
export function getGroup(ctx: Ctx, project: Project, key: string): ResourceGroupRow {
  const row = store.byKey(ctx.db, project.id, key)
  if (!row) throw notFound()
  return row
}

/** The job that has the resource. Throws 404 if the resource is free. */
export async function currentJob(ctx: Ctx, project: Project, key: string): Promise<JobView> {
  const row = store.holder(ctx.db, getGroup(ctx, project, key).id)
  const [view] = row ? await showJobs(ctx, project, [row]) : []
  if (!view) throw notFound('Job')
  return view
}

/** One page of the jobs that come next, in the order in which they get the resource. */
export async function upcomingJobs(
  ctx: Ctx,
  project: Project,
  key: string,
  paging: { limit: number; offset: number },
): Promise<Rows<JobView>> {
  const { rows, total } = store.upcoming(ctx.db, getGroup(ctx, project, key), paging)
  return { rows: await showJobs(ctx, project, rows), total }
}

/** Changes the order of waiting jobs. With the new order a job may get the resource at once. */
export function changeMode(ctx: Ctx, project: Project, key: string, mode: ProcessMode): ResourceGroupRow {
  const before = getGroup(ctx, project, key)
  if (before.process_mode === mode) return before
  return tx(ctx.db, () => {
    const row = store.setMode(ctx.db, before.id, mode, ctx.now)
    grantNext(ctx, row.id)
    return row
  })
}

const MAX_KEY = 255

/** Keys have the characters of environment names: letters, digits, spaces and some signs, no slash at the ends. */
const KEY = /^[A-Za-z0-9_${}. -](?:[A-Za-z0-9_/${}. -]*[A-Za-z0-9_${}. -])?$/

/**
 * The id of the resource group of a key with expanded variables; created by its first job. Null for an invalid key: the
 * job then runs without a group (spec ci 2.11). Call it in the transaction that stores the job.
 */
export function resourceGroupFor(
  ctx: Pick<Ctx, 'db' | 'now'>,
  project: Pick<Project, 'id'>,
  key: string,
): number | null {
  if (key.length > MAX_KEY || !KEY.test(key)) return null
  return store.ensure(ctx.db, project.id, key, ctx.now).id
}
