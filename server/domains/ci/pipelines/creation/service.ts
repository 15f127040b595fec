import type { Ctx } from '../../../../ctx.ts'
import { findCommit } from '../../../../git/read/commits.ts'
import { resolveCommit } from '../../../../git/read/revisions.ts'
import { inRepository, repoOf, type Project, fullPath } from '../../../projects/index.ts'
import { ensurePipelineRef } from '../refs.ts'
import type { PipelineRow } from '../store.ts'
import { compileIn, configOf, compileContextFor } from './compiling.ts'
import {
  type VariableInput,
  checkVariableNames,
  obeysSkip,
  isSkipped,
  storesFailed,
  type PipelineRequest,
  PipelineRefused,
  refused,
  type PipelineTarget,
  targetOf,
} from './request.ts'
import { checkProject, checkTarget } from '../../policy.ts'
import { jobChooser } from './selecting.ts'
import { nextIidEstimate } from './store.ts'
import { requireValid, type Draft, writeEmpty, writeFull } from './write.ts'
import type { PipelineView } from '../entity.ts'
import { showPipeline } from '../service.ts'
import { PIPELINE_TOKEN_HEADER } from '../../../../lib/aliases.ts'
import { isoTime } from '../../../../lib/clock.ts'
import { RateWindow } from '../../../../lib/rate-window.ts'
import { secretSetting, settingsOf, planLimits } from '../../../settings/index.ts'
import { userById } from '../../../users/index.ts'
import type { SelectedJob } from '../../../ci_config/index.ts'
import * as store from './store.ts'

/** The error for a pipeline that would exceed a limit of the plan. */
interface ExceededLimit {
  readonly failure_reason: 'size_limit_exceeded' | 'job_activity_limit_exceeded'
  readonly text: string
}

const DAY_MS = 86_400_000

/**
 * Returns the limit of the plan that a pipeline with this number of jobs would exceed (spec administration 13), or
 * undefined.
 */
function exceededLimit(ctx: Ctx, project: Project, jobs: number): ExceededLimit | undefined {
  const { ci_pipeline_size: size, ci_active_jobs: active } = planLimits(ctx.db)
  if (size > 0 && jobs > size) {
    const text = `Pipeline has too many jobs! Requested ${jobs}, but the limit is ${size}.`
    return { failure_reason: 'size_limit_exceeded', text }
  }
  const count =
    active > 0 ? store.countUnfinishedJobs(ctx.db, project.id, isoTime(Date.parse(ctx.now) - DAY_MS)) : 0
  // The jobs of the new pipeline are not counted, so only the pipeline after it is refused.
  if (active === 0 || count <= active) return undefined
  const text = `Project has too many active jobs created in the last 24 hours! There are ${count} active jobs, but the limit is ${active}.`
  return { failure_reason: 'job_activity_limit_exceeded', text }
}

/** The length in seconds of the window in which pipelines are counted. */
const PERIOD = 60

const TOO_MANY = 'Too many pipelines created in the last minute. Try again later.'

const TOO_MANY_DOWNSTREAM = 'Too many downstream pipelines triggered in the last minute. Try again later.'

/**
 * Counts a pipeline of the actor for a commit. Throws PipelineRefused if the actor has created more pipelines in the last
 * minute than the setting `pipeline_limit_per_project_user_sha` allows (spec administration 1.2; 0 means no limit).
 */
function countPipeline(ctx: Ctx, projectId: number, sha: string): void {
  countInWindow(ctx, `${projectId} ${sha}`, settingsOf(ctx).pipeline_limit_per_project_user_sha, TOO_MANY)
}

/**
 * Counts a downstream pipeline as `countPipeline` does, with the setting
 * `downstream_pipeline_trigger_limit_per_project_user_sha`.
 */
function countDownstream(ctx: Ctx, projectId: number, sha: string): void {
  const max = settingsOf(ctx).downstream_pipeline_trigger_limit_per_project_user_sha
  countInWindow(ctx, `downstream ${projectId} ${sha}`, max, TOO_MANY_DOWNSTREAM)
}

function countInWindow(ctx: Ctx, subject: string, max: number, message: string): void {
  if (max === 0) return
  const window = ctx.db.instance('ci.pipeline_limit', () => new RateWindow(), { dependsOnRows: true })
  const key = `${ctx.actor.id ?? 'instance'} ${subject}`
  if (!window.take(key, { max, per: PERIOD }, Date.parse(ctx.now)).allowed) throw refused(message)
}

/** The default time limit in seconds for the external validation service. */
const VALIDATION_TIMEOUT = 5
/** The status with which the service rejects a pipeline. */
const REJECTED = 406

/**
 * Asks the external validation service about a pipeline (settings `external_pipeline_validation_service_*`, spec
 * administration 1.2). Throws PipelineRefused if the service answers 406. Any other answer, and a failure of the service,
 * allows the pipeline.
 */
async function validateExternally(
  ctx: Ctx,
  project: Project,
  target: PipelineTarget,
  jobs: readonly SelectedJob[],
): Promise<void> {
  const settings = settingsOf(ctx)
  const url = settings.external_pipeline_validation_service_url
  if (!url) return
  const token = secretSetting(ctx, 'external_pipeline_validation_service_token')
  const timeoutMs = (settings.external_pipeline_validation_service_timeout ?? VALIDATION_TIMEOUT) * 1000
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    ...(token === null ? {} : { [PIPELINE_TOKEN_HEADER]: token }),
  }
  const body = JSON.stringify(validationRequest(ctx, project, target, jobs))
  let status = 0
  try {
    const answer = await ctx.outbound.fetch(url, { method: 'POST', headers, body, timeoutMs })
    status = answer.status
    await answer.body?.cancel()
  } catch (error) {
    ctx.log.warn(
      { err: error, project_id: project.id },
      'the service that validates pipelines did not answer',
    )
  }
  if (status === REJECTED) throw new PipelineRefused(['External validation failed'], 'validation')
}

function validationRequest(ctx: Ctx, project: Project, target: PipelineTarget, jobs: readonly SelectedJob[]) {
  const user = ctx.actor.id === null ? undefined : userById(ctx.db, ctx.actor.id)
  return {
    project: {
      id: project.id,
      path: fullPath(project),
      created_at: project.created_at,
      shared_runners_enabled: project.shared_runners_enabled,
      group_runners_enabled: project.group_runners_enabled,
    },
    user: user && {
      id: user.id,
      username: user.username,
      email: user.email,
      created_at: user.created_at,
      current_sign_in_ip: ctx.cause?.ip ?? null,
    },
    pipeline: { sha: target.sha, ref: target.ref, type: 'repository_source' },
    total_builds_count: jobs.length,
    builds: jobs.map(({ job }) => ({
      name: job.name,
      stage: job.stage,
      image: job.image?.name ?? null,
      services: (job.services ?? []).flatMap((service) => service?.name ?? []),
      script: [...(job.before_script ?? []), ...(job.script ?? []), ...(job.after_script ?? [])],
    })),
  }
}

/**
 * Creates a pipeline as the actor (spec ci 2.6). Throws PipelineRefused if the pipeline cannot be created. If no user
 * waits for the answer, for example after a push, an invalid configuration is stored as a failed pipeline instead, and
 * `[ci skip]` as a skipped one.
 */
export async function createPipeline(
  ctx: Ctx,
  project: Project,
  request: PipelineRequest,
): Promise<PipelineRow> {
  checkProject(ctx, project, request)
  return inRepository(ctx, project, async () => {
    const target = await findTarget(ctx, project, request)
    checkTarget(ctx, project, target, request.merge_request)
    if (request.upstream) countDownstream(ctx, project.id, target.sha)
    else countPipeline(ctx, project.id, target.sha)
    const commit = await findCommit(repoOf(ctx, project), target.sha)
    if (!commit) throw refused('Commit not found')
    const text = request.config ?? (await configOf(ctx, project, target.sha, request.config_path))
    if (text === null) throw refused('Missing CI config file')
    const draft: Draft = { request, target, committed_at: new Date(commit.committed_date).toISOString() }
    if (obeysSkip(request.source) && isSkipped(commit.message, request.push_options)) {
      return writeEmpty(ctx, project, draft, { status: 'skipped' })
    }
    try {
      return await createWithJobs(ctx, project, draft, text)
    } catch (error) {
      if (!(error instanceof PipelineRefused)) throw error
      const isInvalid = error.refusalKind === 'config' || error.refusalKind === 'validation'
      if (!isInvalid || !storesFailed(request.source)) throw error
      return writeFailed(ctx, project, draft, error)
    }
  })
}

/** Creates an automatic pipeline as `createPipeline` does, but returns null if it is refused. */
export async function tryPipeline(
  ctx: Ctx,
  project: Project,
  request: PipelineRequest,
): Promise<PipelineRow | null> {
  try {
    return await createPipeline(ctx, project, request)
  } catch (error) {
    if (!(error instanceof PipelineRefused)) throw error
    const { id } = project
    ctx.log.debug(
      { project_id: id, ref: request.ref, source: request.source, reasons: error.texts },
      'no pipeline',
    )
    return null
  }
}

async function findTarget(ctx: Ctx, project: Project, request: PipelineRequest): Promise<PipelineTarget> {
  const resolved = project.empty_repo ? null : await targetOf(ctx, project, request.ref)
  if (resolved === null) throw refused('Reference not found')
  if (resolved === 'ambiguous') throw refused('Ref is ambiguous')
  // A request for the ref of a merge request must also pass the merge request.
  if (resolved.kind === 'merge_request' && !request.merge_request) throw refused('Reference not found')
  // In a fork there is no ref of the merge request, so the request names the branch.
  const target = request.merge_request
    ? { ...resolved, kind: 'merge_request' as const, isProtected: false }
    : resolved
  if (request.sha === undefined) return target
  const sha = await resolveCommit(repoOf(ctx, project), request.sha)
  if (sha === null) throw refused('Commit not found')
  return { ...target, sha }
}

/** Compiles the configuration, selects the jobs and stores the pipeline with them. */
async function createWithJobs(ctx: Ctx, project: Project, draft: Draft, text: string): Promise<PipelineRow> {
  const { request, target } = draft
  const context = { ...(await compileContextFor(ctx, project, request, target)), request, target }
  const parent_id = request.source === 'parent_pipeline' ? request.upstream?.pipeline_id : undefined
  const config = { text, sha: target.sha, parent_id, isForPipeline: true }
  const compiled = await compileIn(ctx, project, config, context)
  if (!compiled.built) {
    throw new PipelineRefused(
      compiled.errors.map(({ message }) => message),
      'config',
    )
  }
  const choose = await jobChooser(ctx, project, compiled.built, context)
  const iid = nextIidEstimate(ctx.db, project.id)
  const choice = requireValid(choose(iid))
  const exceeded = exceededLimit(ctx, project, choice.selection.jobs.length)
  if (exceeded) return refuseExceeding(ctx, project, draft, exceeded)
  await validateExternally(ctx, project, target, choice.selection.jobs)
  const { auto_cancel } = compiled.built.workflow
  const row = writeFull(ctx, project, draft, { iid, choice, choose, auto_cancel })
  await createRefs(ctx, project, row)
  return row
}

/**
 * Creates the refs of a stored pipeline. An error of git is only logged, because the caller would create a second
 * pipeline after an error.
 */
async function createRefs(ctx: Ctx, project: Project, row: PipelineRow): Promise<void> {
  try {
    await ensurePipelineRef(ctx, project, row)
  } catch (error) {
    ctx.log.error({ err: error, pipeline_id: row.id }, 'the refs of a pipeline could not be created')
  }
}

/** Throws PipelineRefused, or stores a failed pipeline if no user waits for the answer. */
function refuseExceeding(ctx: Ctx, project: Project, draft: Draft, exceeded: ExceededLimit): PipelineRow {
  const { failure_reason, text } = exceeded
  if (!storesFailed(draft.request.source)) throw refused(text)
  return writeEmpty(ctx, project, draft, {
    status: 'failed',
    failure_reason,
    yaml_errors: text,
    finished_at: ctx.now,
  })
}

function writeFailed(
  ctx: Ctx,
  project: Project,
  draft: Draft,
  { texts, refusalKind: because }: PipelineRefused,
): PipelineRow {
  return writeEmpty(ctx, project, draft, {
    status: 'failed',
    failure_reason: because === 'validation' ? 'external_validation_failure' : 'config_error',
    yaml_errors: texts.join(', '),
    finished_at: ctx.now,
  })
}

/** Creates a pipeline at the request of a user. Its source is `web` in the window and `api` with a token. */
export async function startPipeline(
  ctx: Ctx,
  project: Project,
  input: { readonly ref: string; readonly variables: readonly VariableInput[] },
): Promise<PipelineView> {
  checkVariableNames(input.variables)
  const isWindow = ctx.actor.kind === 'user' && ctx.actor.via === 'session'
  const row = await createPipeline(ctx, project, { source: isWindow ? 'web' : 'api', ...input })
  return showPipeline(ctx, project, row)
}
