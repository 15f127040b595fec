import type { Ctx } from '../../../../ctx.ts'
import type { Rows } from '../../../../db/rows.ts'
import type { Commit } from '../../../../git/read/commits.ts'
import { isAble, type AbilityRule } from '../../../../policy/ability.ts'
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
import type { Line, LineFilter } from './store.ts'

/** A deployment in a list of the window. */
export interface DeploymentLine {
  readonly row: DeploymentRow
  readonly user: UserBasicRow | null
  readonly commit: Commit | null
  readonly job: JobRow | null
  /** Whether the actor can deploy it again. */
  readonly mayRetry: boolean
}

/** An environment with its deployments and the actor's permissions. */
export interface EnvironmentView {
  readonly row: EnvironmentRow
  readonly last: DeploymentLine | null
  /** The running deployment. */
  readonly upcoming: DeploymentLine | null
  /** The failed deployment after the last successful one. */
  readonly hasFailed: boolean
  /** Stopping it runs a job. */
  readonly hasStopAction: boolean
  readonly mayStop: boolean
  readonly mayChange: boolean
}

/** A line of the list: a folder with its last changed environment, or an environment. */
export interface EnvironmentLine extends Line {
  readonly view: EnvironmentView
}

/** Loads a page of environments with a few queries and one git call. */
export async function listLines(
  ctx: Ctx,
  project: Project,
  filter: Omit<LineFilter, 'project_id'>,
  paging: { readonly limit: number; readonly offset: number },
): Promise<Rows<EnvironmentLine>> {
  const result = store.lines(ctx.db, { ...filter, project_id: project.id }, paging)
  const rows = environments.byIds(
    ctx.db,
    result.rows.map((line) => line.environment_id),
  )
  const views = await viewsOf(ctx, project, [...rows.values()])
  const byId = new Map(views.map((view) => [view.row.id, view]))
  return { ...result, rows: result.rows.map((line) => ({ ...line, view: byId.get(line.environment_id)! })) }
}

/** Counts of active and stopped environments. */
export function countSides(ctx: Ctx, project: Project): { active: number; stopped: number } {
  return store.counts(ctx.db, project.id)
}

/** One environment for the window. */
export async function viewOf(ctx: Ctx, project: Project, row: EnvironmentRow): Promise<EnvironmentView> {
  const [view] = await viewsOf(ctx, project, [row])
  return view!
}

/** Deployments of an environment, the latest first. */
export async function deploymentLines(
  ctx: Ctx,
  project: Project,
  row: EnvironmentRow,
  paging: { readonly limit: number; readonly offset: number },
): Promise<Rows<DeploymentLine>> {
  const result = store.deployments(ctx.db, row, paging)
  return { ...result, rows: await linesOf(ctx, project, result.rows) }
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
  const lines = await linesOf(ctx, project, [...last, ...upcoming])
  const byId = new Map(lines.map((line) => [line.row.id, line]))
  const lineIn = (match: readonly DeploymentRow[], id: number): DeploymentLine | null =>
    byId.get(idIn(match, id)) ?? null
  const idIn = (match: readonly DeploymentRow[], id: number): number =>
    match.find((deployment) => deployment.environment_id === id)?.id ?? 0
  const may = (ability: AbilityRule<Project>): boolean => isAble(ctx, projectScope, ability, project, true)
  const [mayStop, mayUpdate] = [may(abilities.stop_environment), may(abilities.update_environment)]
  return rows.map((row) => ({
    row,
    last: lineIn(last, row.id),
    upcoming: lineIn(upcoming, row.id),
    hasFailed: idIn(failed, row.id) > idIn(last, row.id),
    hasStopAction: actions.has(row.id),
    mayStop: mayStop && row.state !== 'stopped' && mayRun(ctx, project, actions.get(row.id) ?? []),
    mayChange: mayUpdate,
  }))
}

async function linesOf(
  ctx: Ctx,
  project: Project,
  rows: readonly DeploymentRow[],
): Promise<DeploymentLine[]> {
  const commits = await commitsOf(ctx, project, new Set(rows.map((row) => row.sha)))
  const users = usersById(
    ctx.db,
    rows.flatMap((row) => row.user_id ?? []),
  )
  const jobs = new Map(deployments.jobsOf(ctx.db, rows).map((job) => [job.id, job]))
  const mayRunJobs = isAble(ctx, projectScope, jobAbilities.change_jobs, project, true)
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
