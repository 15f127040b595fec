import type { Ctx } from '../../../../ctx.ts'
import type { Rows } from '../../../../db/rows.ts'
import type { Commit } from '../../../../git/read/commits.ts'
import { hasAbility, type AbilityRule } from '../../../../policy/ability.ts'
import { project as projectScope, type Project } from '../../../projects/index.ts'
import { usersById, type UserBasicRow } from '../../../users/index.ts'
import { commitsOf } from '../../jobs/view.ts'
import type { JobRow } from '../../jobs/store.ts'
import { abilities as jobAbilities, abilities, isArchived, mayChange } from '../../policy.ts'
import { isRetryable } from '../../processing/status.ts'
import * as deployments from '../deployments/store.ts'
import type { DeploymentRow } from '../deployments/store.ts'
import { stopActionsOf } from '../store-jobs.ts'
import { mayRun } from '../stop.ts'
import * as environments from '../store.ts'
import type { EnvironmentRow } from '../store.ts'
import * as store from './store.ts'
import type { FolderItem, ItemFilter } from './store.ts'

/** A deployment in a list of the window. */
export interface DeploymentItem {
  readonly row: DeploymentRow
  readonly user: UserBasicRow | null
  readonly commit: Commit | null
  readonly job: JobRow | null
  /** Whether the actor may retry the job of the deployment. */
  readonly mayRetry: boolean
}

/** An environment with its deployments and the actor's permissions. */
export interface EnvironmentView {
  readonly row: EnvironmentRow
  readonly last: DeploymentItem | null
  /** The running deployment. */
  readonly upcoming: DeploymentItem | null
  /** Whether a deployment failed after the last successful one. */
  readonly hasFailed: boolean
  /** Whether the environment has stop jobs. */
  readonly hasStopAction: boolean
  readonly mayStop: boolean
  readonly mayChange: boolean
}

/** An item of the list: a folder with its last changed environment, or an environment. */
export interface EnvironmentItem extends FolderItem {
  readonly view: EnvironmentView
}

/** Loads a page of folders and environments with few queries and one git call. */
export async function listItems(
  ctx: Ctx,
  project: Project,
  filter: Omit<ItemFilter, 'project_id'>,
  paging: { readonly limit: number; readonly offset: number },
): Promise<Rows<EnvironmentItem>> {
  const result = store.listItems(ctx.db, { ...filter, project_id: project.id }, paging)
  const rows = environments.byIds(
    ctx.db,
    result.rows.map((item) => item.environment_id),
  )
  const views = await viewsOf(ctx, project, [...rows.values()])
  const byId = new Map(views.map((view) => [view.row.id, view]))
  return { ...result, rows: result.rows.map((item) => ({ ...item, view: byId.get(item.environment_id)! })) }
}

/** The numbers of active and of stopped environments. */
export function countByState(ctx: Ctx, project: Project): { active: number; stopped: number } {
  return store.counts(ctx.db, project.id)
}

/** An environment in the form that the window shows. */
export async function viewOf(ctx: Ctx, project: Project, row: EnvironmentRow): Promise<EnvironmentView> {
  const [view] = await viewsOf(ctx, project, [row])
  return view!
}

/** The deployments of an environment, the latest first. */
export async function deploymentItems(
  ctx: Ctx,
  project: Project,
  row: EnvironmentRow,
  paging: { readonly limit: number; readonly offset: number },
): Promise<Rows<DeploymentItem>> {
  const result = store.deployments(ctx.db, row, paging)
  return { ...result, rows: await itemsOf(ctx, project, result.rows) }
}

async function viewsOf(
  ctx: Ctx,
  project: Project,
  rows: readonly EnvironmentRow[],
): Promise<EnvironmentView[]> {
  const ids = rows.map((row) => row.id)
  const last = deployments.lastSuccesses(ctx.db, ids)
  const upcoming = store.latestIn(ctx.db, ids, 'running')
  const failed = store.latestIn(ctx.db, ids, 'failed')
  const actions = stopActionsOf(ctx.db, ids)
  const items = await itemsOf(ctx, project, [...last, ...upcoming])
  const byId = new Map(items.map((item) => [item.row.id, item]))
  const idIn = (candidates: readonly DeploymentRow[], environmentId: number): number =>
    candidates.find((deployment) => deployment.environment_id === environmentId)?.id ?? 0
  const itemIn = (candidates: readonly DeploymentRow[], environmentId: number): DeploymentItem | null =>
    byId.get(idIn(candidates, environmentId)) ?? null
  const may = (ability: AbilityRule<Project>): boolean =>
    hasAbility(ctx, projectScope, ability, project, true)
  const [mayStop, mayUpdate] = [may(abilities.stop_environment), may(abilities.update_environment)]
  return rows.map((row) => ({
    row,
    last: itemIn(last, row.id),
    upcoming: itemIn(upcoming, row.id),
    hasFailed: idIn(failed, row.id) > idIn(last, row.id),
    hasStopAction: actions.has(row.id),
    mayStop: mayStop && row.state !== 'stopped' && mayRun(ctx, project, actions.get(row.id) ?? []),
    mayChange: mayUpdate,
  }))
}

async function itemsOf(
  ctx: Ctx,
  project: Project,
  rows: readonly DeploymentRow[],
): Promise<DeploymentItem[]> {
  const commits = await commitsOf(ctx, project, new Set(rows.map((row) => row.sha)))
  const users = usersById(
    ctx.db,
    rows.flatMap((row) => row.user_id ?? []),
  )
  const jobs = new Map(deployments.jobsOf(ctx.db, rows).map((job) => [job.id, job]))
  const mayRunJobs = hasAbility(ctx, projectScope, jobAbilities.change_jobs, project, true)
  return rows.map((row) => {
    const job = jobs.get(row.job_id ?? 0) ?? null
    return {
      row,
      user: users.get(row.user_id ?? 0) ?? null,
      commit: commits.get(row.sha) ?? null,
      job,
      mayRetry:
        mayRunJobs &&
        job !== null &&
        isRetryable(job) &&
        !isArchived(ctx, job) &&
        mayChange(ctx, project, job),
    }
  })
}
