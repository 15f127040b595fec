import type { Ctx } from '../../../ctx.ts'
import { JOB_TOKEN_LOGIN } from '../../../lib/aliases.ts'
import { fullPath, type Project } from '../../projects/index.ts'
import { type CompiledJob, slugOf, expandText } from '../../ci_config/index.ts'
import { type JobDetailsRow, type JobRow, optionsOf } from '../jobs/store.ts'
import type { PipelineRow } from '../pipelines/store.ts'
import {
  deprecatedItems,
  expandItems,
  withoutFraction,
  publicItems,
  maskedItems,
  rawItems,
  lastOfEachName,
  type VariableItem,
  configItems,
  settingsItems,
  pipelineVariableItems,
  playItems,
} from './item.ts'
import { userById } from '../../users/index.ts'
import { exportsFor } from '../artifacts/exports.ts'
import { environmentVariables } from '../environments/prepare.ts'
import {
  actorItems,
  projectItems,
  runnerItems,
  serverItems,
  targetItems,
  targetOfPipeline,
  type VariableRunner,
} from './predefined.ts'
import { releaseTextOf } from './store.ts'
import { signToken } from '../../auth/index.ts'

/** The validity in seconds of the ID tokens of a job without a timeout. */
const DEFAULT_VALIDITY = 300

/**
 * The ID tokens of `id_tokens:`, with which a job proves its identity to other services. The instance signs each token
 * for its audience, and it is valid for the timeout of the job. `variables` are the expanded variables of the job; one
 * with the same name takes precedence over the token.
 */
export async function idTokensOf(
  ctx: Ctx,
  runningJob: StoredJob & Run,
  declared: CompiledJob['id_tokens'] | undefined,
  variables: readonly VariableItem[],
): Promise<VariableItem[]> {
  const values = new Map(variables.map(({ key, value }) => [key, value]))
  const tokens = Object.entries(declared ?? {}).filter(([key]) => !values.has(key))
  if (tokens.length === 0) return []
  const claims = claimsOf(ctx, runningJob, values)
  const signing = { subject: subjectOf(runningJob), seconds: runningJob.job.timeout ?? DEFAULT_VALIDITY }
  return Promise.all(
    tokens.map(async ([key, token]) => {
      const audience = audienceOf((token as { aud: unknown }).aud, values)
      const value = await signToken(ctx, { ...claims, jti: ctx.random.id() }, { ...signing, audience })
      return { key, value, isMasked: true }
    }),
  )
}

function audienceOf(aud: unknown, values: ReadonlyMap<string, string>): string | string[] {
  const expand = (text: unknown) => expandText(String(text), (name) => values.get(name), true)
  return Array.isArray(aud) ? aud.map(expand) : expand(aud)
}

function subjectOf({ project, job }: StoredJob & Run): string {
  return `project_path:${fullPath(project)}:ref_type:${typeOf(job)}:ref:${job.ref}`
}

function typeOf({ tag }: JobRow): 'branch' | 'tag' {
  return tag ? 'tag' : 'branch'
}

/** The claims of an ID token. */
function claimsOf(
  ctx: Ctx,
  { project, pipeline, job, runner }: StoredJob & Run,
  values: ReadonlyMap<string, string>,
) {
  const user = job.user_id === null ? undefined : userById(ctx.db, job.user_id)
  const { kind } = targetOfPipeline(pipeline)
  const refPrefix = kind === 'merge_request' ? '' : job.tag ? 'refs/tags/' : 'refs/heads/'
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
    ref_path: `${refPrefix}${job.ref}`,
    ref_protected: String(job.protected),
    sha: pipeline.sha,
    runner_id: runner.id,
    runner_environment: 'self-hosted',
    ...(job.environment === null
      ? {}
      : {
          environment: job.environment,
          // There are no protected environments.
          environment_protected: 'false',
          deployment_tier: values.get('CI_ENVIRONMENT_TIER'),
          environment_action: job.environment_action,
        }),
  }
}

/** The options of a job that its variables show. */
export type VariableOptions = Partial<Pick<CompiledJob, 'parallel' | 'image' | 'id_tokens'>>

/** The variables about a job that are known from its configuration. */
export function jobItems(
  job: Pick<JobRow, 'name' | 'stage' | 'when'>,
  options: VariableOptions,
): VariableItem[] {
  const { parallel, image } = options
  const isManual = job.when === 'manual' || job.when === 'delayed'
  return publicItems({
    CI_JOB_NAME: job.name,
    CI_JOB_NAME_SLUG: slugOf(job.name),
    CI_JOB_STAGE: job.stage,
    CI_JOB_MANUAL: isManual ? 'true' : undefined,
    CI_JOB_IMAGE: typeof image?.name === 'string' ? image.name : undefined,
    CI_NODE_INDEX: parallel?.index,
    CI_NODE_TOTAL: parallel?.total ?? 1,
  })
}

/** The variables about a stored job (spec ci 2.13, phase C). */
export function storedJobItems(
  ctx: Pick<Ctx, 'config'>,
  project: Project,
  { pipeline, job }: { readonly pipeline: PipelineRow; readonly job: JobRow },
): VariableItem[] {
  const base = `${ctx.config.url}/${fullPath(project)}/-`
  return publicItems({
    CI_SERVER: 'yes',
    CI_PIPELINE_ID: pipeline.id,
    CI_PIPELINE_URL: `${base}/pipelines/${pipeline.id}`,
    CI_JOB_ID: job.id,
    CI_JOB_URL: `${base}/jobs/${job.id}`,
    CI_JOB_STARTED_AT: job.started_at === null ? undefined : withoutFraction(job.started_at),
  })
}

/** The variables with the token of a running job. */
export function tokenItems(ctx: Pick<Ctx, 'config'>, project: Project, token: string): VariableItem[] {
  return maskedItems({ CI_JOB_TOKEN: token, CI_REPOSITORY_URL: repositoryUrl(ctx, project, token) })
}

/** The URL of the repository with the job token as credentials. */
export function repositoryUrl({ config }: Pick<Ctx, 'config'>, project: Project, token: string): string {
  const base = config.url.replace('://', `://${JOB_TOKEN_LOGIN}:${token}@`)
  return `${base}/${fullPath(project)}.git`
}

/** A job or trigger job with the sources of its variables. */
export interface StoredJob {
  readonly project: Project
  readonly pipeline: PipelineRow
  readonly job: JobRow
  readonly details: JobDetailsRow
}

/** The additional data of a job that a runner took. */
export interface Run {
  readonly runner: VariableRunner
  /** The token of the job in plain text. */
  readonly token: string
}

/**
 * All variables of a job, expanded, with one variable for each name (precedence: spec ci 2.14). Without `run` they are
 * those that are known before a runner takes the job. Throws if the secret key of the instance has changed.
 */
export async function itemsOfJob(ctx: Ctx, job: StoredJob, run?: Run): Promise<VariableItem[]> {
  const predefined = await predefinedItems(ctx, job, run)
  return expandItems(lastOfEachName([...predefined, ...userItems(ctx, job)]))
}

/** The predefined variables. Those with the lowest precedence come first. */
async function predefinedItems(ctx: Ctx, stored: StoredJob, run: Run | undefined): Promise<VariableItem[]> {
  const { project, pipeline, job, details } = stored
  const items = [
    ...storedJobItems(ctx, project, stored),
    ...(run ? tokenItems(ctx, project, run.token) : []),
    ...jobItems(job, optionsOf(details)),
    ...serverItems(ctx),
    ...projectItems(ctx, project),
    ...(await targetItems(ctx, project, targetOfPipeline(pipeline))),
    ...(run ? runnerItems(run.runner) : []),
  ]
  return [...deprecatedItems(items), ...items]
}

/** The variables that override predefined ones. Those with the lowest precedence come first. */
function userItems(ctx: Ctx, { project, pipeline, job, details }: StoredJob): VariableItem[] {
  const user = job.user_id === null ? undefined : userById(ctx.db, job.user_id)
  const environment = job.environment ?? undefined
  return [
    ...configItems(details),
    ...actorItems(user),
    ...exportsFor(ctx, job),
    ...settingsItems(ctx, project, { isProtected: job.protected, environment }),
    ...pipelineVariableItems(ctx, pipeline.id),
    ...playItems(ctx, details),
    ...(pipeline.tag
      ? rawItems({ CI_RELEASE_DESCRIPTION: releaseTextOf(ctx.db, project.id, pipeline.ref) })
      : []),
    // These come last, so that no other variable overrides the environment for which the job was created.
    ...environmentVariables(ctx, project, job).flatMap(({ key, value }) => publicItems({ [key]: value })),
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
export async function variablesOfJob(ctx: Ctx, runningJob: StoredJob & Run): Promise<JobVariable[]> {
  const items = await itemsOfJob(ctx, runningJob, runningJob)
  const { id_tokens } = optionsOf(runningJob.details)
  return [...items, ...(await idTokensOf(ctx, runningJob, id_tokens, items))].map(jobVariable)
}

function jobVariable({ key, value, isPublic, isMasked, isFile, isRaw }: VariableItem): JobVariable {
  return {
    key,
    value,
    public: isPublic === true,
    masked: isMasked === true,
    ...(isFile ? { file: true } : {}),
    ...(isRaw ? { raw: true } : {}),
  }
}
