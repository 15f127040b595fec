import type { Ctx } from '../../../ctx.ts'
import { JOB_TOKEN_LOGIN } from '../../../lib/aliases.ts'
import { fullPath, type Project } from '../../projects/index.ts'
import { type CompiledJob, slugOf, expandText } from '../../ci_config/index.ts'
import { type JobDetailsRow, type JobRow, optionsOf } from '../jobs/store.ts'
import type { PipelineRow } from '../pipelines/store.ts'
import {
  legacyOf,
  expandItems,
  moment,
  plain,
  secrets,
  texts,
  strongest,
  type Item,
  configured,
  stored,
  ofStart,
  ofPlay,
} from './item.ts'
import { userById } from '../../users/index.ts'
import { exportsFor } from '../artifacts/exports.ts'
import { environmentVariables } from '../environments/prepare.ts'
import { type RunnerOfVariables, ofServer, ofProject, ofRunner, ofUser } from './of-instance.ts'
import { ofTarget, targetOfPipeline } from './predefined.ts'
import { releaseTextOf } from './store.ts'
import { signToken } from '../../auth/index.ts'

const SECONDS_WITHOUT_TIMEOUT = 300

/**
 * The tokens of `id_tokens:`, with which a job proves its project to other services. The instance signs them, each for its
 * audience, and they are valid for the timeout of the job. `variables` are expanded; one with the same name replaces the token.
 */
export async function idTokensOf(
  ctx: Ctx,
  asking: StoredJob & Run,
  declared: CompiledJob['id_tokens'] | undefined,
  variables: readonly Item[],
): Promise<Item[]> {
  const values = new Map(variables.map(({ key, value }) => [key, value]))
  const wanted = Object.entries(declared ?? {}).filter(([key]) => !values.has(key))
  if (wanted.length === 0) return []
  const claims = claimsOf(ctx, asking, values)
  const signing = { subject: subjectOf(asking), seconds: asking.job.timeout ?? SECONDS_WITHOUT_TIMEOUT }
  return Promise.all(
    wanted.map(async ([key, token]) => {
      const audience = audienceOf((token as { aud: unknown }).aud, values)
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

/** The claims of the token, all as text. */
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
          // Protected environments do not exist.
          environment_protected: 'false',
          deployment_tier: values.get('CI_ENVIRONMENT_TIER'),
          environment_action: job.environment_action,
        }),
  }
}

/** The options of a stored job that variables show. */
export type OptionsOfJob = Partial<Pick<CompiledJob, 'parallel' | 'image' | 'id_tokens'>>

/** Variables about the job in its pipeline. */
export function ofJob(job: Pick<JobRow, 'name' | 'stage' | 'when'>, options: OptionsOfJob): Item[] {
  const { parallel, image } = options
  const isAction = job.when === 'manual' || job.when === 'delayed'
  return plain({
    CI_JOB_NAME: job.name,
    CI_JOB_NAME_SLUG: slugOf(job.name),
    CI_JOB_STAGE: job.stage,
    CI_JOB_MANUAL: isAction ? 'true' : undefined,
    CI_JOB_IMAGE: typeof image?.name === 'string' ? image.name : undefined,
    CI_NODE_INDEX: parallel?.index,
    CI_NODE_TOTAL: parallel?.total ?? 1,
  })
}

/** Variables of a stored job (spec ci 2.13, phase C). */
export function ofStoredJob(
  ctx: Pick<Ctx, 'config'>,
  project: Project,
  { pipeline, job }: { readonly pipeline: PipelineRow; readonly job: JobRow },
): Item[] {
  const page = `${ctx.config.url}/${fullPath(project)}/-`
  return plain({
    CI_SERVER: 'yes',
    CI_PIPELINE_ID: pipeline.id,
    CI_PIPELINE_URL: `${page}/pipelines/${pipeline.id}`,
    CI_JOB_ID: job.id,
    CI_JOB_URL: `${page}/jobs/${job.id}`,
    CI_JOB_STARTED_AT: job.started_at === null ? undefined : moment(job.started_at),
  })
}

/** Variables with the token of a running job. */
export function ofToken(ctx: Pick<Ctx, 'config'>, project: Project, token: string): Item[] {
  return secrets({ CI_JOB_TOKEN: token, CI_REPOSITORY_URL: repositoryUrl(ctx, project, token) })
}

/** The address of the repository with the job token. */
export function repositoryUrl({ config }: Pick<Ctx, 'config'>, project: Project, token: string): string {
  const open = config.url.replace('://', `://${JOB_TOKEN_LOGIN}:${token}@`)
  return `${open}/${fullPath(project)}.git`
}

/** A job or trigger job with the sources of its variables. */
export interface StoredJob {
  readonly project: Project
  readonly pipeline: PipelineRow
  readonly job: JobRow
  readonly details: JobDetailsRow
}

/** Additional data of a job that a runner took. */
export interface Run {
  readonly runner: RunnerOfVariables
  /** The token of the job in plain text. */
  readonly token: string
}

/**
 * All variables of a job, expanded, one for each name by the precedence of spec ci 2.14. Without `run`: those known before a
 * runner takes the job. Throws if the secret key of the instance has changed.
 */
export async function itemsOfJob(ctx: Ctx, job: StoredJob, run?: Run): Promise<Item[]> {
  const predefined = await givenByInstance(ctx, job, run)
  return expandItems(strongest([...predefined, ...givenByPeople(ctx, job)]))
}

/** Lowest precedence first. */
async function givenByInstance(ctx: Ctx, stored: StoredJob, run: Run | undefined): Promise<Item[]> {
  const { project, pipeline, job, details } = stored
  const items = [
    ...ofStoredJob(ctx, project, stored),
    ...(run ? ofToken(ctx, project, run.token) : []),
    ...ofJob(job, optionsOf(details)),
    ...ofServer(ctx),
    ...ofProject(ctx, project),
    ...(await ofTarget(ctx, project, targetOfPipeline(pipeline))),
    ...(run ? ofRunner(run.runner) : []),
  ]
  return [...legacyOf(items), ...items]
}

/** Lowest precedence first. */
function givenByPeople(ctx: Ctx, { project, pipeline, job, details }: StoredJob): Item[] {
  const user = job.user_id === null ? undefined : userById(ctx.db, job.user_id)
  const environment = job.environment ?? undefined
  return [
    ...configured(details),
    ...ofUser(user),
    ...exportsFor(ctx, job),
    ...stored(ctx, project, { isProtected: job.protected, environment }),
    ...ofStart(ctx, pipeline.id),
    ...ofPlay(ctx, details),
    ...(pipeline.tag
      ? texts({ CI_RELEASE_DESCRIPTION: releaseTextOf(ctx.db, project.id, pipeline.ref) })
      : []),
    // Last, so that no other variable overrides the environment that the job was created for.
    ...environmentVariables(ctx, project, job).flatMap(({ key, value }) => plain({ [key]: value })),
  ]
}

/** A variable in the format of the runner API (spec ci 1.8). */
export interface JobVariable {
  readonly key: string
  readonly value: string
  readonly public: boolean
  readonly masked: boolean
  readonly file?: true
  readonly raw?: true
}

/** All variables of a job that a runner took, including its ID tokens. */
export async function variablesOfJob(ctx: Ctx, taken: StoredJob & Run): Promise<JobVariable[]> {
  const items = await itemsOfJob(ctx, taken, taken)
  const { id_tokens } = optionsOf(taken.details)
  return [...items, ...(await idTokensOf(ctx, taken, id_tokens, items))].map(jobVariable)
}

function jobVariable({ key, value, isPublic, isMasked, isFile, isRaw }: Item): JobVariable {
  return {
    key,
    value,
    public: isPublic === true,
    masked: isMasked === true,
    ...(isFile ? { file: true } : {}),
    ...(isRaw ? { raw: true } : {}),
  }
}
