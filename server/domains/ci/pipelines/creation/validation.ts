import type { Ctx } from '../../../../ctx.ts'
import { PIPELINE_TOKEN_HEADER } from '../../../../lib/aliases.ts'
import { isoTime } from '../../../../lib/clock.ts'
import { RateWindow } from '../../../../lib/rate-window.ts'
import { fullPath, type Project } from '../../../projects/index.ts'
import { secretSetting, settingsOf, planLimits } from '../../../settings/index.ts'
import { userById } from '../../../users/index.ts'
import type { SelectedJob } from '../../../ci_config/index.ts'
import { PipelineRefused, refused, type PipelineTarget } from './request.ts'
import * as store from './store.ts'

/** A limit of the plan that a pipeline would exceed. */
export interface Excess {
  readonly failure_reason: 'size_limit_exceeded' | 'job_activity_limit_exceeded'
  readonly text: string
}

const DAY_MS = 86_400_000

/** The limit of the plan that a pipeline of so many jobs exceeds (spec administration 13); undefined for none. */
export function excessOf(ctx: Ctx, project: Project, jobs: number): Excess | undefined {
  const { ci_pipeline_size: size, ci_active_jobs: active } = planLimits(ctx.db)
  if (size > 0 && jobs > size) {
    const text = `Pipeline has too many jobs! Requested ${jobs}, but the limit is ${size}.`
    return { failure_reason: 'size_limit_exceeded', text }
  }
  const alive = active > 0 ? store.aliveJobs(ctx.db, project.id, isoTime(Date.parse(ctx.now) - DAY_MS)) : 0
  // The new pipeline may exceed the limit; the next one is refused.
  if (active === 0 || alive <= active) return undefined
  const text = `Project has too many active jobs created in the last 24 hours! There are ${alive} active jobs, but the limit is ${active}.`
  return { failure_reason: 'job_activity_limit_exceeded', text }
}

/** Seconds of the window in which pipelines are counted. */
const PERIOD = 60

const TOO_MANY = 'Too many pipelines created in the last minute. Try again later.'

const TOO_MANY_DOWNSTREAM = 'Too many downstream pipelines triggered in the last minute. Try again later.'

/**
 * Counts a pipeline of the actor for a commit. Throws PipelineRefused beyond the number that the settings allow per minute (spec
 * administration 1.2, `pipeline_limit_per_project_user_sha`; 0 for any number).
 */
export function countPipeline(ctx: Ctx, projectId: number, sha: string): void {
  count(ctx, `${projectId} ${sha}`, settingsOf(ctx).pipeline_limit_per_project_user_sha, TOO_MANY)
}

/** The same for pipelines that jobs of other pipelines start (`downstream_pipeline_trigger_limit_per_project_user_sha`). */
export function countDownstream(ctx: Ctx, projectId: number, sha: string): void {
  const max = settingsOf(ctx).downstream_pipeline_trigger_limit_per_project_user_sha
  count(ctx, `downstream ${projectId} ${sha}`, max, TOO_MANY_DOWNSTREAM)
}

function count(ctx: Ctx, what: string, max: number, text: string): void {
  if (max === 0) return
  const window = ctx.db.instance('ci.pipeline_limit', () => new RateWindow(), { ofContent: true })
  const key = `${ctx.actor.id ?? 'instance'} ${what}`
  if (!window.take(key, { max, per: PERIOD }, Date.parse(ctx.now)).allowed) throw refused(text)
}

/** Seconds that the service has, unless the settings set a limit. */
const PATIENCE = 5
const REFUSED = 406

/**
 * Asks the external validation service about a pipeline (settings `external_pipeline_validation_service_*`, spec administration
 * 1.2). Throws PipelineRefused if it answers 406; after any other answer or failure the pipeline is created.
 */
export async function askValidation(
  ctx: Ctx,
  project: Project,
  target: PipelineTarget,
  jobs: readonly SelectedJob[],
): Promise<void> {
  const settings = settingsOf(ctx)
  const url = settings.external_pipeline_validation_service_url
  if (!url) return
  const token = secretSetting(ctx, 'external_pipeline_validation_service_token')
  const timeoutMs = (settings.external_pipeline_validation_service_timeout ?? PATIENCE) * 1000
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    ...(token === null ? {} : { [PIPELINE_TOKEN_HEADER]: token }),
  }
  const body = JSON.stringify(questionOf(ctx, project, target, jobs))
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
  if (status === REFUSED) throw new PipelineRefused(['External validation failed'], 'validation')
}

function questionOf(ctx: Ctx, project: Project, target: PipelineTarget, jobs: readonly SelectedJob[]) {
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
