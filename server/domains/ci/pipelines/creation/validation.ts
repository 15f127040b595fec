import type { Ctx } from '../../../../ctx.ts'
import { PIPELINE_TOKEN_HEADER } from '../../../../lib/aliases.ts'
import { fullPath, type Project } from '../../../projects/index.ts'
import { secretSetting, settingsOf } from '../../../settings/index.ts'
import { userById } from '../../../users/index.ts'
import type { SelectedJob } from '../../../ci_config/index.ts'
import { PipelineRefused } from './request.ts'
import type { PipelineTarget } from './target.ts'

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
