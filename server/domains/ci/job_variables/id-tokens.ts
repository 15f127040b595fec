import type { Ctx } from '../../../ctx.ts'
import { signToken } from '../../auth/index.ts'
import { fullPath } from '../../projects/index.ts'
import { userById } from '../../users/index.ts'
import { type CompiledJob, expandText } from '../../ci_config/index.ts'
import type { JobRow } from '../jobs/store.ts'
import type { Item } from './item.ts'
import type { Run, StoredJob } from './of-job.ts'
import { targetOfPipeline } from './predefined.ts'

const SECONDS_WITHOUT_TIMEOUT = 300

/**
 * The tokens of `id_tokens:`, by which a job proves its project to other services: signed by the instance, each for its
 * audience, valid for as long as the job may take. `variables` are expanded; one of the same name stands in place of a
 * token.
 */
export async function idTokensOf(
  ctx: Ctx,
  asking: StoredJob & Run,
  asked: CompiledJob['id_tokens'] | undefined,
  variables: readonly Item[],
): Promise<Item[]> {
  const values = new Map(variables.map(({ key, value }) => [key, value]))
  const wanted = Object.entries(asked ?? {}).filter(([key]) => !values.has(key))
  if (wanted.length === 0) return []
  const claims = claimsOf(ctx, asking, values)
  const signing = { subject: subjectOf(asking), seconds: asking.job.timeout ?? SECONDS_WITHOUT_TIMEOUT }
  return Promise.all(
    wanted.map(async ([key, one]) => {
      const audience = audienceOf((one as { aud: unknown }).aud, values)
      const value = await signToken(ctx, { ...claims, jti: ctx.random.id() }, { ...signing, audience })
      return { key, value, isMasked: true }
    }),
  )
}

function audienceOf(aud: unknown, values: ReadonlyMap<string, string>): string | string[] {
  const filled = (text: unknown) => expandText(String(text), (name) => values.get(name), true)
  return Array.isArray(aud) ? aud.map(filled) : filled(aud)
}

function subjectOf({ project, job }: StoredJob & Run): string {
  return `project_path:${fullPath(project)}:ref_type:${typeOf(job)}:ref:${job.ref}`
}

function typeOf({ tag }: JobRow): 'branch' | 'tag' {
  return tag ? 'tag' : 'branch'
}

/** What services decide by, all of it text. */
function claimsOf(
  ctx: Ctx,
  { project, pipeline, job, runner }: StoredJob & Run,
  values: ReadonlyMap<string, string>,
) {
  const user = job.user_id === null ? undefined : userById(ctx.db, job.user_id)
  const { kind } = targetOfPipeline(pipeline)
  const folder = kind === 'merge_request' ? '' : job.tag ? 'refs/tags/' : 'refs/heads/'
  return {
    namespace_id: String(project.namespace_id),
    namespace_path: project.namespace_full_path,
    project_id: String(project.id),
    project_path: fullPath(project),
    project_visibility: project.visibility,
    ...(user ? { user_id: String(user.id), user_login: user.username, user_email: user.email } : {}),
    pipeline_id: String(pipeline.id),
    pipeline_source: pipeline.source,
    job_id: String(job.id),
    ref: job.ref,
    ref_type: typeOf(job),
    ref_path: `${folder}${job.ref}`,
    ref_protected: String(job.protected),
    sha: pipeline.sha,
    runner_id: runner.id,
    runner_environment: 'self-hosted',
    ...(job.environment === null
      ? {}
      : {
          environment: job.environment,
          // Environments cannot be protected.
          environment_protected: 'false',
          deployment_tier: values.get('CI_ENVIRONMENT_TIER'),
          environment_action: job.environment_action,
        }),
  }
}
