import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import type { Rows } from '../../../../db/rows.ts'
import { enqueue } from '../../../../jobs/job.ts'
import { fail, invalid } from '../../../../lib/fail.ts'
import { inRepository, type Project } from '../../../projects/index.ts'
import { publishDeployment, publishEnvironment } from '../service-events.ts'
import { markDeploymentRef, removeEnvironmentRefs } from '../jobs.ts'
import * as environments from '../store.ts'
import { showDeployments, type DeploymentView } from '../views.ts'
import * as store from './store.ts'
import type { DeploymentFilter, DeploymentPage, DeploymentRow } from './store.ts'
import type { DeploymentStatus } from '../entity.ts'
import type { EnvironmentColumns } from '../store.ts'
import { resolveCommit } from '../../../../git/read/revisions.ts'
import { DEPLOYMENT_OF_JOB, nameProblems } from '../validation.ts'
import { ensureEnvironment } from '../prepare.ts'

/** Filters of a list of deployments. The environment is given by name. */
export type DeploymentQuery = Omit<DeploymentFilter, 'project_id' | 'environment_id'> & {
  readonly environment?: string | undefined
}

/** Returns a page of the deployments of a project. Throws 400 for a filter by update time without order by update time. */
export async function listDeployments(
  ctx: Ctx,
  project: Project,
  { environment: name, ...filter }: DeploymentQuery,
  page: DeploymentPage,
): Promise<Rows<DeploymentView>> {
  const filtersByUpdate = filter.updated_after !== undefined || filter.updated_before !== undefined
  if (filtersByUpdate && page.order_by !== 'updated_at')
    throw fail('bad_request', '400 Bad request - `updated_at` filter and `updated_at` sorting must be paired')
  // No environment has the ID 0, so the list for an unknown environment is empty.
  const environment_id =
    name === undefined ? undefined : (environments.byName(ctx.db, project.id, name)?.id ?? 0)
  const result = store.list(ctx.db, { ...filter, environment_id, project_id: project.id }, page)
  return { ...result, rows: await showDeployments(ctx, project, result.rows) }
}

/** Returns a deployment of a project. Throws 404. */
export function findDeployment(ctx: Pick<Ctx, 'db'>, project: Project, id: number): DeploymentRow {
  const row = store.byId(ctx.db, project.id, id)
  if (!row) throw fail('not_found', '404 Not found')
  return row
}

/** Returns a deployment with its job. Throws 404. */
export function getDeployment(ctx: Ctx, project: Project, id: number): Promise<DeploymentView> {
  return showDeployment(ctx, project, findDeployment(ctx, project, id))
}

/** Loads the data for the entity of one deployment. */
export async function showDeployment(
  ctx: Ctx,
  project: Project,
  row: DeploymentRow,
): Promise<DeploymentView> {
  const [view] = await showDeployments(ctx, project, [row])
  return view!
}

/** Deletes a deployment. Throws 400 if it is running or is the last successful one of the environment. */
export function deleteDeployment(ctx: Ctx, project: Project, row: DeploymentRow): void {
  if (row.status === 'running') throw fail('bad_request', 'Cannot destroy running deployment')
  const [last] = store.lastSuccesses(ctx.db, [row.environment_id])
  if (last?.id === row.id) throw fail('bad_request', 'Deployment currently deployed to environment')
  tx(ctx.db, () => {
    const environment = environments.byId(ctx.db, project.id, row.environment_id)!
    store.remove(ctx.db, row.id)
    publishEnvironment(ctx, environment)
    const { slug } = environment
    enqueue(ctx, removeEnvironmentRefs, { project_id: project.id, slug, iid: row.iid })
  })
}

/** Throws 400, because there are no protected environments, so no deployment waits for an approval. */
export function approveDeployment(): never {
  throw fail('bad_request', 'This deployment is not waiting for approvals.')
}

/** The final statuses of a deployment. */
const FINAL = new Set(['success', 'failed', 'canceled', 'skipped'])

/**
 * Whether a status may change to another one (spec ci 5.5). Any deployment may change to a different final status. A
 * created deployment may start, and a blocked one may become created.
 */
export function canTransition(from: string, to: DeploymentStatus): boolean {
  if (FINAL.has(to)) return from !== to
  return from === 'created' || (from === 'blocked' && to === 'created')
}

/**
 * Changes the status of a deployment. A successful deployment makes its environment available. Call it in a transaction,
 * with a valid status (`canTransition`).
 */
export function changeDeployment(
  ctx: Ctx,
  before: DeploymentRow,
  status: DeploymentStatus,
  environment: Pick<EnvironmentColumns, 'external_url' | 'tier' | 'auto_stop_at'> = {},
): DeploymentRow {
  const finished_at = FINAL.has(status) ? ctx.now : null
  const row = store.update(ctx.db, before.id, { status, finished_at, updated_at: ctx.now })
  publishDeployment(ctx, row)
  if (status === 'success') recordSuccess(ctx, row, environment)
  return row
}

/** Applies the effects of a successful deployment. Call it in a transaction. */
export function recordSuccess(ctx: Ctx, row: DeploymentRow, columns: EnvironmentColumns = {}): void {
  const started = environments.update(ctx.db, row.environment_id, {
    ...columns,
    state: 'available',
    auto_delete_at: null,
    updated_at: ctx.now,
  })
  publishEnvironment(ctx, started)
  enqueue(ctx, markDeploymentRef, { project_id: row.project_id, deployment_id: row.id })
}

/** The statuses that the API accepts. */
export const REPORTED_STATUSES = ['running', 'success', 'failed', 'canceled'] as const

/** A status that the API accepts. */
export type ReportedStatus = (typeof REPORTED_STATUSES)[number]

/** A deployment of another system. */
export interface ReportedDeployment {
  readonly environment: string
  readonly sha: string
  readonly ref: string
  readonly tag: boolean
  readonly status: ReportedStatus
}

/**
 * Creates a deployment of another system, and its environment if it does not exist. Throws 400 with the errors of each
 * field.
 */
export async function createDeployment(
  ctx: Ctx,
  project: Project,
  input: ReportedDeployment,
): Promise<DeploymentView> {
  const nameErrors = nameProblems(input.environment)
  if (nameErrors.length > 0) throw invalid({ name: nameErrors })
  const sha = await commitOf(ctx, project, input)
  const row = tx(ctx.db, () => {
    const environment = ensureEnvironment(ctx, project.id, { name: input.environment })
    if (!environment) throw invalid({ slug: 'has already been taken' })
    const { ref, tag, status } = input
    const created = store.insert(ctx.db, {
      project_id: project.id,
      environment_id: environment.id,
      job_id: null,
      user_id: ctx.actor.id,
      ref,
      tag,
      sha,
      status,
      on_stop: null,
      created_at: ctx.now,
      updated_at: ctx.now,
      finished_at: status === 'running' ? null : ctx.now,
    })
    publishDeployment(ctx, created)
    if (status === 'success') recordSuccess(ctx, created)
    return created
  })
  return showDeployment(ctx, project, row)
}

/** Resolves the full SHA of the commit. Throws 400 if the commit or the ref does not exist. */
function commitOf(ctx: Ctx, project: Project, input: ReportedDeployment): Promise<string> {
  return inRepository(ctx, project, async (repo) => {
    const prefer = input.tag ? 'tag' : 'branch'
    const [sha, tip] = await Promise.all([
      resolveCommit(repo, input.sha),
      resolveCommit(repo, input.ref, { prefer }),
    ])
    const problems: Record<string, string> = {}
    if (sha === null) problems['sha'] = 'The commit does not exist'
    if (tip === null) problems['ref'] = 'The branch or tag does not exist'
    if (sha === null || tip === null) throw invalid(problems)
    return sha
  })
}

/** The names of the transitions to a status, for error messages. */
const TRANSITIONS: Readonly<Record<ReportedStatus, string>> = {
  running: 'run',
  success: 'succeed',
  failed: 'drop',
  canceled: 'cancel',
}

/** Updates the status of a deployment of another system. Throws 403 for deployments of jobs, 400 for an invalid change. */
export function updateDeployment(
  ctx: Ctx,
  project: Project,
  before: DeploymentRow,
  status: ReportedStatus,
): Promise<DeploymentView> {
  if (before.job_id !== null) throw fail('forbidden', DEPLOYMENT_OF_JOB)
  if (!canTransition(before.status, status))
    throw invalid({ status: `cannot transition via "${TRANSITIONS[status]}"` })
  const row = tx(ctx.db, () => changeDeployment(ctx, before, status))
  return showDeployment(ctx, project, row)
}

/** Finds a deployment of a project, for other domains. */
export function deploymentOf(
  ctx: Pick<Ctx, 'db'>,
  project: Pick<Project, 'id'>,
  id: number,
): DeploymentRow | undefined {
  return store.byId(ctx.db, project.id, id)
}

/** Finds an environment of a project, for other domains. */
export function environmentOf(
  ctx: Pick<Ctx, 'db'>,
  project: Pick<Project, 'id'>,
  id: number,
): environments.EnvironmentRow | undefined {
  return environments.byId(ctx.db, project.id, id)
}

/** A successful deployment with its environment and the commit that was deployed before it. */
export interface SuccessfulDeployment {
  readonly deployment: DeploymentRow
  readonly environment: { readonly name: string; readonly tier: string }
  /** The commit of the previous successful deployment to the environment. Null if this is the first. */
  readonly before: string | null
}

/** Finds a successful deployment of a project. Undefined if it does not exist or did not succeed. */
export function successfulDeployment(
  ctx: Pick<Ctx, 'db'>,
  project: Pick<Project, 'id'>,
  id: number,
): SuccessfulDeployment | undefined {
  const deployment = deploymentOf(ctx, project, id)
  const environment = deployment && environments.byId(ctx.db, project.id, deployment.environment_id)
  if (deployment?.status !== 'success' || !environment) return undefined
  const before = store.successBefore(ctx.db, deployment)
  return { deployment, environment, before: before?.sha ?? null }
}
