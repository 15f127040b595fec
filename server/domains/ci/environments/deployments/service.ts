import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import type { Rows } from '../../../../db/rows.ts'
import { enqueue } from '../../../../jobs/job.ts'
import { fail } from '../../../../lib/fail.ts'
import type { Project } from '../../../projects/index.ts'
import { tellEnvironment } from '../service-events.ts'
import { removeEnvironmentRefs } from '../jobs.ts'
import * as environments from '../store.ts'
import { showDeployments, type DeploymentView } from '../views.ts'
import * as store from './store.ts'
import type { DeploymentFilter, DeploymentPage, DeploymentRow } from './store.ts'

/** What a list can be narrowed to; the environment by its name. */
export type DeploymentQuery = Omit<DeploymentFilter, 'project_id' | 'environment_id'> & {
  readonly environment?: string | undefined
}

/** One page of the deployments of a project. Throws 400 for a time of change without the order that it needs. */
export async function listDeployments(
  ctx: Ctx,
  project: Project,
  { environment: name, ...filter }: DeploymentQuery,
  page: DeploymentPage,
): Promise<Rows<DeploymentView>> {
  const isByChange = filter.updated_after !== undefined || filter.updated_before !== undefined
  if (isByChange && page.order_by !== 'updated_at')
    throw fail('bad_request', '400 Bad request - `updated_at` filter and `updated_at` sorting must be paired')
  // No environment has the id 0: one that is not there has no deployments.
  const environment_id =
    name === undefined ? undefined : (environments.byName(ctx.db, project.id, name)?.id ?? 0)
  const found = store.list(ctx.db, { ...filter, environment_id, project_id: project.id }, page)
  return { ...found, rows: await showDeployments(ctx, project, found.rows) }
}

/** A deployment of a project. Throws 404. */
export function findDeployment(ctx: Pick<Ctx, 'db'>, project: Project, id: number): DeploymentRow {
  const row = store.byId(ctx.db, project.id, id)
  if (!row) throw fail('not_found', '404 Not found')
  return row
}

/** A deployment with its job. Throws 404. */
export function getDeployment(ctx: Ctx, project: Project, id: number): Promise<DeploymentView> {
  return showDeployment(ctx, project, findDeployment(ctx, project, id))
}

/** One deployment as the entities take it. */
export async function showDeployment(
  ctx: Ctx,
  project: Project,
  row: DeploymentRow,
): Promise<DeploymentView> {
  const [view] = await showDeployments(ctx, project, [row])
  return view!
}

/** Removes a deployment from the list. Throws 400 while it runs, or while it is what the environment shows. */
export function deleteDeployment(ctx: Ctx, project: Project, row: DeploymentRow): void {
  if (row.status === 'running') throw fail('bad_request', 'Cannot destroy running deployment')
  const [last] = store.lastSuccesses(ctx.db, [row.environment_id])
  if (last?.id === row.id) throw fail('bad_request', 'Deployment currently deployed to environment')
  tx(ctx.db, () => {
    const environment = environments.byId(ctx.db, project.id, row.environment_id)!
    store.remove(ctx.db, row.id)
    tellEnvironment(ctx, environment)
    const { slug } = environment
    enqueue(ctx, removeEnvironmentRefs, { project_id: project.id, slug, iid: row.iid })
  })
}

/** Nothing waits for approval, for no environment is protected. Throws 400. */
export function approveDeployment(): never {
  throw fail('bad_request', 'This deployment is not waiting for approvals.')
}
