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
import { unfinishedOfPipeline } from '../environments/deployments/store.ts'
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

/** The filters of the list of pipelines. */
export interface PipelineQuery extends Omit<PipelineFilter, 'newestOf' | 'statuses' | 'user_id'> {
  readonly scope?: 'running' | 'pending' | 'finished' | 'branches' | 'tags' | undefined
  readonly status?: PipelineRow['status'] | undefined
  readonly username?: string | undefined
}

const FINISHED: readonly PipelineRow['status'][] = ['success', 'failed', 'canceled']

function statusesOf({ scope, status }: PipelineQuery): readonly PipelineRow['status'][] | undefined {
  const scopeStatuses =
    scope === 'finished' ? FINISHED : scope === 'running' || scope === 'pending' ? [scope] : undefined
  if (status === undefined) return scopeStatuses
  return scopeStatuses && !scopeStatuses.includes(status) ? [] : [status]
}

async function refsOf(ctx: Ctx, owner: Project, scope: 'branches' | 'tags') {
  const list = scope === 'branches' ? listBranches : listTags
  const refs = await inRepository(ctx, owner, (repo) => list(repo))
  return { refs: refs.map((ref) => ref.name), tag: scope === 'tags' }
}

/** A page of a project's pipelines. The scopes `branches` and `tags` list the newest pipeline of each existing ref. */
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

/** Returns a pipeline of a project. Throws 404 if the project has no such pipeline. */
export function getPipeline(ctx: Ctx, owner: Project, id: number): PipelineRow {
  const row = store.byId(ctx.db, id)
  if (row?.project_id !== owner.id) throw fail('not_found', '404 Not found')
  return row
}

/** Returns the newest pipeline of the current commit of a ref. Throws 404 if there is none. */
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
 * The variables with which a pipeline was started. They may be secret, so only maintainers and the developer who started
 * the pipeline may see them. Throws 403.
 */
export function variablesOfPipeline(ctx: Ctx, owner: Project, row: PipelineRow): store.PipelineVariableRow[] {
  const role = ctx.actor.is_admin ? MAINTAINER : project.roleOf(ctx, owner)
  const isStarter = row.user_id !== null && row.user_id === ctx.actor.id && role >= DEVELOPER
  if (role < MAINTAINER && !isStarter) throw fail('forbidden')
  return startVariables(ctx, row.id)
}

/** The variables with which a pipeline was started, without a check of permissions. */
export function startVariables(ctx: Ctx, pipelineId: number): store.PipelineVariableRow[] {
  return store.variablesOf(ctx.db, pipelineId).map((variable) => ({
    ...variable,
    value: ctx.secrets.open(variable.value, 'ci_pipeline_variables.value').toString(),
  }))
}

const MAX_NAME = 255

/** Sets the name of a pipeline. An empty name removes it. Throws 400 for a name that is too long. */
export function namePipeline(ctx: Ctx, row: PipelineRow, name: string): PipelineRow {
  if (name.length > MAX_NAME) throw invalid({ name: `is too long (maximum is ${MAX_NAME} characters)` })
  return tx(ctx.db, () => store.update(ctx.db, row.id, { name: name || null, updated_at: ctx.now }))
}

/** Adds the data of the entity `PipelineBasic` to pipelines of one project. */
export function withPaths(project: Project, rows: readonly PipelineRow[]): PipelineWithPath[] {
  const path = fullPath(project)
  return rows.map((row) => ({ row, path }))
}

/** Loads the data for the entity `Pipeline` of pipelines of one project, with two queries. */
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

/** Loads the data for the entity `Pipeline` of one pipeline. */
export function showPipeline(ctx: Ctx, project: Project, row: PipelineRow): PipelineView {
  return showPipelines(ctx, project, [row])[0]!
}

/** Cancels the unfinished jobs of a pipeline. Throws 403 if the actor may not change the pipeline. */
export function cancel(ctx: Ctx, owner: Project, row: PipelineRow): PipelineRow {
  if (!mayChange(ctx, owner, row)) throw fail('forbidden')
  return cancelPipeline(ctx, row)
}

/** Runs failed and canceled jobs of a pipeline again. Throws 403 if the actor may not change the pipeline. */
export function retry(ctx: Ctx, owner: Project, row: PipelineRow): PipelineRow {
  if (!mayChange(ctx, owner, row)) throw fail('forbidden')
  return retryPipeline(ctx, row)
}

/**
 * Deletes a pipeline with its child pipelines and jobs. Running jobs are canceled first, so that their runners stop.
 */
export function deletePipeline(ctx: Ctx, row: PipelineRow): void {
  tx(ctx.db, () => {
    for (const child of store.childrenOf(ctx.db, row)) deletePipeline(ctx, child)
    cancelPipeline(ctx, row)
    // Canceling a job a second time ends it without waiting for its runner.
    for (const job of jobs.ofPipeline(ctx.db, row.id)) if (job.status === 'canceling') cancelJob(ctx, job)
    // Subscribers could not do this later, because the jobs are deleted.
    for (const deployment of unfinishedOfPipeline(ctx.db, row.id))
      changeDeployment(ctx, deployment, 'canceled')
    store.remove(ctx.db, row.id)
    publish(ctx, PipelineDeleted, {
      project_id: row.project_id,
      pipeline_id: row.id,
      actor_id: ctx.actor.id,
    })
  })
}

/** The commit and ref of an external commit status. */
interface StatusTarget {
  readonly project_id: number
  readonly sha: string
  readonly ref: string
}

/**
 * The pipeline for external statuses of a commit on a ref: the newest pipeline, or a new one if there is none. Call it in
 * the transaction that stores the status.
 */
export function pipelineForStatuses(ctx: Ctx, target: StatusTarget): PipelineRow {
  const { project_id, ref, sha } = target
  return store.newestOf(ctx.db, project_id, ref, sha) ?? createExternalPipeline(ctx, target)
}

function createExternalPipeline(ctx: Ctx, target: StatusTarget): PipelineRow {
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
 * Updates the pipeline after an external status changed. `previous` is the previous status, or null if it is new. Call it
 * in the transaction that stores the status.
 */
export function refreshForStatus(ctx: Ctx, jobId: number, previous: string | null): void {
  const job = jobById(ctx.db, jobId)
  if (!job) return
  if (job.status !== previous) publishJobChange(ctx, job, previous)
  refreshPipeline(ctx, job.pipeline_id)
}
