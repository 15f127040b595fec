import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import type { Rows } from '../../../db/rows.ts'
import { publish } from '../../../events/publish.ts'
import { listBranches, listTags } from '../../../git/write/refs.ts'
import { resolveCommit } from '../../../git/read/revisions.ts'
import { fail, invalid } from '../../../lib/fail.ts'
import { DEVELOPER, MAINTAINER } from '../../../policy/levels.ts'
import { fullPath, inRepository, project, type Project } from '../../projects/index.ts'
import { userByUsername, usersById } from '../../users/index.ts'
import { changeDeployment } from '../environments/deployments/service.ts'
import { openOfPipeline } from '../environments/deployments/store.ts'
import { PipelineDeleted, PipelineCreated } from '../events.ts'
import * as jobs from '../jobs/store.ts'
import { byId as jobById } from '../jobs/store.ts'
import { cancelJob } from '../processing/run.ts'
import { mayChange } from '../policy.ts'
import { retryPipeline } from '../processing/rerun.ts'
import { cancelPipeline, refreshPipeline, publishJobChange } from '../processing/state.ts'
import type { PipelineWithPath, PipelineView } from './entity.ts'
import { listPipelines, summaries, type PipelineFilter, type PipelinePage } from './store-list.ts'
import * as store from './store.ts'
import type { PipelineRow } from './store.ts'

/** Filters of the list of pipelines. */
export interface PipelineQuery extends Omit<PipelineFilter, 'newestOf' | 'statuses' | 'user_id'> {
  readonly scope?: 'running' | 'pending' | 'finished' | 'branches' | 'tags' | undefined
  readonly status?: PipelineRow['status'] | undefined
  readonly username?: string | undefined
}

const FINISHED: readonly PipelineRow['status'][] = ['success', 'failed', 'canceled']

function statusesOf({ scope, status }: PipelineQuery): readonly PipelineRow['status'][] | undefined {
  const ofScope =
    scope === 'finished' ? FINISHED : scope === 'running' || scope === 'pending' ? [scope] : undefined
  if (status === undefined) return ofScope
  return ofScope && !ofScope.includes(status) ? [] : [status]
}

async function refsOf(ctx: Ctx, owner: Project, scope: 'branches' | 'tags') {
  const list = scope === 'branches' ? listBranches : listTags
  const refs = await inRepository(ctx, owner, (repo) => list(repo))
  return { refs: refs.map((ref) => ref.name), tag: scope === 'tags' }
}

/** One page of a project's pipelines; `branches` and `tags` list the newest of each existing ref. */
export async function findPipelines(
  ctx: Ctx,
  owner: Project,
  query: PipelineQuery,
  page: PipelinePage,
): Promise<Rows<PipelineRow>> {
  const { scope, username, status: _status, ...filter } = query
  const user = username === undefined ? undefined : userByUsername(ctx.db, username)
  const statuses = statusesOf(query)
  if ((username !== undefined && !user) || statuses?.length === 0) return { rows: [], total: 0 }
  const newestOf = scope === 'branches' || scope === 'tags' ? await refsOf(ctx, owner, scope) : undefined
  return listPipelines(ctx.db, owner.id, { ...filter, statuses, newestOf, user_id: user?.id }, page)
}

/** A pipeline of a project. Throws 404 if the project has none with this id. */
export function getPipeline(ctx: Ctx, owner: Project, id: number): PipelineRow {
  const row = store.byId(ctx.db, id)
  if (row?.project_id !== owner.id) throw fail('not_found', '404 Not found')
  return row
}

/** The newest pipeline of the commit of a ref. Throws 404 if there is none. */
export async function latestPipeline(
  ctx: Ctx,
  owner: Project,
  ref: string | undefined,
): Promise<PipelineRow> {
  const name = ref || owner.default_branch
  const sha = name ? await inRepository(ctx, owner, (repo) => resolveCommit(repo, name)) : null
  const row = sha && store.newestOf(ctx.db, owner.id, name!, sha)
  if (!row) throw fail('not_found', '404 Not found')
  return row
}

/**
 * The variables that a pipeline was started with. They may be secrets, so they are for maintainers and for the
 * developer who gave them. Throws 403.
 */
export function variablesOfPipeline(ctx: Ctx, owner: Project, row: PipelineRow): store.PipelineVariableRow[] {
  const role = ctx.actor.is_admin ? MAINTAINER : project.roleOf(ctx, owner)
  const isStarter = row.user_id !== null && row.user_id === ctx.actor.id && role >= DEVELOPER
  if (role < MAINTAINER && !isStarter) throw fail('forbidden')
  return givenVariables(ctx, row.id)
}

/** The variables that a pipeline was started with, without a permission check. */
export function givenVariables(ctx: Ctx, pipelineId: number): store.PipelineVariableRow[] {
  return store.variablesOf(ctx.db, pipelineId).map((variable) => ({
    ...variable,
    value: ctx.secrets.open(variable.value, 'ci_pipeline_variables.value').toString(),
  }))
}

const MAX_NAME = 255

/** Sets the name of a pipeline; an empty one removes it. Throws 400 for a name that is too long. */
export function namePipeline(ctx: Ctx, row: PipelineRow, name: string): PipelineRow {
  if (name.length > MAX_NAME) throw invalid({ name: `is too long (maximum is ${MAX_NAME} characters)` })
  return tx(ctx.db, () => store.update(ctx.db, row.id, { name: name || null, updated_at: ctx.now }))
}

/** Pipelines of one project with the data of the entity `PipelineBasic`. */
export function withPaths(project: Project, rows: readonly PipelineRow[]): PipelineWithPath[] {
  const path = fullPath(project)
  return rows.map((row) => ({ row, path }))
}

/** Pipelines of one project with the data of the entity `Pipeline`. Runs two queries for any number of pipelines. */
export function showPipelines(ctx: Ctx, project: Project, rows: readonly PipelineRow[]): PipelineView[] {
  const users = usersById(
    ctx.db,
    rows.flatMap((row) => row.user_id ?? []),
  )
  const byId = summaries(
    ctx.db,
    rows.map((row) => row.id),
  )
  return withPaths(project, rows).map((item) => ({
    ...item,
    user: users.get(item.row.user_id ?? 0) ?? null,
    coverage: byId.get(item.row.id)?.coverage ?? null,
    warnings: byId.get(item.row.id)?.warnings === 1,
  }))
}

/** One pipeline with the data of the entity `Pipeline`. */
export function showPipeline(ctx: Ctx, project: Project, row: PipelineRow): PipelineView {
  return showPipelines(ctx, project, [row])[0]!
}

/** Cancels the jobs of a pipeline that are not over. Throws 403 for protected branches and tags. */
export function cancel(ctx: Ctx, owner: Project, row: PipelineRow): PipelineRow {
  if (!mayChange(ctx, owner, row)) throw fail('forbidden')
  return cancelPipeline(ctx, row)
}

/** Runs failed and canceled jobs of a pipeline again. Throws 403 for protected branches and tags. */
export function retry(ctx: Ctx, owner: Project, row: PipelineRow): PipelineRow {
  if (!mayChange(ctx, owner, row)) throw fail('forbidden')
  return retryPipeline(ctx, row)
}

/**
 * Deletes a pipeline and its child pipelines, with their jobs. Running jobs are canceled first, so that their runners
 * stop; files are removed with their rows.
 */
export function deletePipeline(ctx: Ctx, row: PipelineRow): void {
  tx(ctx.db, () => {
    for (const child of store.childrenOf(ctx.db, row)) deletePipeline(ctx, child)
    cancelPipeline(ctx, row)
    // A second cancel ends jobs without waiting for their runner.
    for (const job of jobs.ofPipeline(ctx.db, row.id)) if (job.status === 'canceling') cancelJob(ctx, job)
    // Subscribers cannot do this later, because the jobs are deleted.
    for (const open of openOfPipeline(ctx.db, row.id)) changeDeployment(ctx, open, 'canceled')
    store.remove(ctx.db, row.id)
    publish(ctx, PipelineDeleted, {
      project_id: row.project_id,
      pipeline_id: row.id,
      actor_id: ctx.actor.id,
    })
  })
}

/** The commit and ref of a report. */
interface StatusTarget {
  readonly project_id: number
  readonly sha: string
  readonly ref: string
}

/**
 * The pipeline of external reports about a commit on a ref: the newest one, or a new one for reports. Call it in the
 * transaction of the report.
 */
export function pipelineForReports(ctx: Ctx, target: StatusTarget): PipelineRow {
  const { project_id, ref, sha } = target
  return store.newestOf(ctx.db, project_id, ref, sha) ?? createReportPipeline(ctx, target)
}

function createReportPipeline(ctx: Ctx, target: StatusTarget): PipelineRow {
  const row = store.insert(ctx.db, {
    ...target,
    source: 'external',
    status: 'created',
    user_id: ctx.actor.id,
    created_at: ctx.now,
    updated_at: ctx.now,
  })
  const { project_id, ref, sha, source, status } = row
  publish(ctx, PipelineCreated, {
    project_id,
    pipeline_id: row.id,
    actor_id: ctx.actor.id,
    ref,
    sha,
    source,
    status,
    merge_request_id: null,
  })
  return row
}

/**
 * Updates the pipeline after a report; `previous` is the former status of the report, null for a new one. Call it in
 * the transaction of the report.
 */
export function settleReport(ctx: Ctx, jobId: number, previous: string | null): void {
  const job = jobById(ctx.db, jobId)
  if (!job) return
  if (job.status !== previous) publishJobChange(ctx, job, previous)
  refreshPipeline(ctx, job.pipeline_id)
}
