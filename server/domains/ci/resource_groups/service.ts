import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import type { Rows } from '../../../db/rows.ts'
import { notFound } from '../../../lib/fail.ts'
import type { Project } from '../../projects/index.ts'
import { showJobs, type JobView } from '../jobs/view.ts'
import { grantNext } from '../processing/state.ts'
import * as store from './store.ts'
import type { ResourceGroupRow } from './store.ts'

/** A page of the resource groups of a project. */
export function findGroups(
  ctx: Ctx,
  project: Project,
  paging: { limit: number; offset: number },
): Rows<ResourceGroupRow> {
  return store.list(ctx.db, project.id, paging)
}

/** Returns the resource group with a key. Throws 404 if it does not exist. */
export function getGroup(ctx: Ctx, project: Project, key: string): ResourceGroupRow {
  const row = store.byKey(ctx.db, project.id, key)
  if (!row) throw notFound()
  return row
}

/** Returns the job that uses the resource. Throws 404 if the resource is free. */
export async function currentJob(ctx: Ctx, project: Project, key: string): Promise<JobView> {
  const row = store.jobWithResource(ctx.db, getGroup(ctx, project, key).id)
  const [view] = row ? await showJobs(ctx, project, [row]) : []
  if (!view) throw notFound('Job')
  return view
}

/** A page of the waiting jobs, in the order in which they get the resource. */
export async function upcomingJobs(
  ctx: Ctx,
  project: Project,
  key: string,
  paging: { limit: number; offset: number },
): Promise<Rows<JobView>> {
  const { rows, total } = store.upcomingJobs(ctx.db, getGroup(ctx, project, key), paging)
  return { rows: await showJobs(ctx, project, rows), total }
}

/** Changes the order of waiting jobs. With the new order a job may get the resource immediately. */
export function changeMode(
  ctx: Ctx,
  project: Project,
  key: string,
  mode: ResourceGroupRow['process_mode'],
): ResourceGroupRow {
  const before = getGroup(ctx, project, key)
  if (before.process_mode === mode) return before
  return tx(ctx.db, () => {
    const row = store.setMode(ctx.db, before.id, mode, ctx.now)
    grantNext(ctx, row.id)
    return row
  })
}

const MAX_KEY = 255

/** The allowed keys, with the same characters as names of environments. No slash is allowed at the start and the end. */
const KEY = /^[A-Za-z0-9_${}. -](?:[A-Za-z0-9_/${}. -]*[A-Za-z0-9_${}. -])?$/

/**
 * Returns the ID of the resource group with a key, in which variables are already expanded (spec ci 2.11). The first job
 * creates the group. Null for an invalid key, with which a job runs without a group. Call it in the transaction that
 * stores the job.
 */
export function resourceGroupFor(
  ctx: Pick<Ctx, 'db' | 'now'>,
  project: Pick<Project, 'id'>,
  key: string,
): number | null {
  if (key.length > MAX_KEY || !KEY.test(key)) return null
  return store.ensure(ctx.db, project.id, key, ctx.now).id
}
