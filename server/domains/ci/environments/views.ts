import type { Ctx } from '../../../ctx.ts'
import { fullPath, type Project } from '../../projects/index.ts'
import { usersById, type UserBasicRow } from '../../users/index.ts'
import { showJobs, type JobView } from '../jobs/view.ts'
import * as deployments from './deployments/store.ts'
import type { DeploymentRow } from './deployments/store.ts'
import * as store from './store.ts'
import type { EnvironmentRow } from './store.ts'

/** A deployment with all data that its entities show. */
export interface DeploymentView {
  readonly row: DeploymentRow
  readonly environment: EnvironmentRow
  readonly user: UserBasicRow | null
  /** The job of the deployment. Null if it was deleted, and for deployments from the API. */
  readonly job: JobView | null
}

/** An environment with its last deployment. */
export interface EnvironmentView {
  readonly row: EnvironmentRow
  /** The full path of the project. */
  readonly path: string
  /** The latest successful deployment. */
  readonly last: DeploymentView | null
}

/** Loads the data for the entities of deployments of one project with a fixed number of queries. */
export async function showDeployments(
  ctx: Ctx,
  project: Project,
  rows: readonly DeploymentRow[],
): Promise<DeploymentView[]> {
  const { db } = ctx
  const environments = store.byIds(
    db,
    rows.map((row) => row.environment_id),
  )
  const users = usersById(
    db,
    rows.flatMap((row) => row.user_id ?? []),
  )
  const jobs = deployments.jobsOf(db, rows)
  const views = await showJobs(ctx, project, jobs)
  const jobById = new Map(views.map((view) => [view.row.id, view]))
  return rows.map((row) => ({
    row,
    environment: environments.get(row.environment_id)!,
    user: users.get(row.user_id ?? 0) ?? null,
    job: jobById.get(row.job_id ?? 0) ?? null,
  }))
}

/** Loads the data for the entities of environments of one project. */
export async function showEnvironments(
  ctx: Ctx,
  project: Project,
  rows: readonly EnvironmentRow[],
): Promise<EnvironmentView[]> {
  const ids = rows.map((row) => row.id)
  const last = await showDeployments(ctx, project, deployments.lastSuccesses(ctx.db, ids))
  const lastById = new Map(last.map((view) => [view.row.environment_id, view]))
  const path = fullPath(project)
  return rows.map((row) => ({ row, path, last: lastById.get(row.id) ?? null }))
}
