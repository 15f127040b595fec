import type { Ctx } from '../../../ctx.ts'
import { JOB_TOKEN_LOGIN } from '../../../lib/aliases.ts'
import { fullPath, type Project } from '../../projects/index.ts'
import { type CompiledJob, slugOf } from '../../ci_config/index.ts'
import type { JobDetailsRow, JobRow } from '../jobs/store.ts'
import type { PipelineRow } from '../pipelines/store.ts'
import { legacyOf, expandItems, moment, plain, secrets, texts, strongest, type Item } from './item.ts'
import { userById } from '../../users/index.ts'
import { exportsFor } from '../artifacts/exports.ts'
import { environmentVariables } from '../environments/variables.ts'
import { optionsOf } from '../jobs/store.ts'
import { configured, stored, ofStart, ofPlay } from './given.ts'
import { type RunnerOfVariables, ofServer, ofProject, ofRunner, ofUser } from './of-instance.ts'
import { ofTarget, targetOfPipeline } from './predefined.ts'
import { releaseTextOf } from './store.ts'
import { idTokensOf } from './id-tokens.ts'

/** The options of a stored job that variables show. */
export type OptionsOfJob = Partial<Pick<CompiledJob, 'parallel' | 'image' | 'id_tokens'>>

/** What a job is in its pipeline. */
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

/** What a job knows once it is stored (spec ci 2.13, phase C). */
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

/** The token of a running job, and the address that it opens. */
export function ofToken(ctx: Pick<Ctx, 'config'>, project: Project, token: string): Item[] {
  return secrets({ CI_JOB_TOKEN: token, CI_REPOSITORY_URL: repositoryUrl(ctx, project, token) })
}

/** Where a job fetches its code, with the token that opens it. */
export function repositoryUrl({ config }: Pick<Ctx, 'config'>, project: Project, token: string): string {
  const open = config.url.replace('://', `://${JOB_TOKEN_LOGIN}:${token}@`)
  return `${open}/${fullPath(project)}.git`
}

/** A job or trigger job, with everything that its variables come from. */
export interface StoredJob {
  readonly project: Project
  readonly pipeline: PipelineRow
  readonly job: JobRow
  readonly details: JobDetailsRow
}

/** What a job has beyond that once a runner took it. */
export interface Run {
  readonly runner: RunnerOfVariables
  /** Token of the job, in the clear. */
  readonly token: string
}

/**
 * All variables of a job, expanded, one for each name: the strongest of spec ci 2.14. Without `run`, what is known of it
 * before a runner has it. Throws when the key of the instance is another one than secrets were sealed with.
 */
export async function itemsOfJob(ctx: Ctx, job: StoredJob, run?: Run): Promise<Item[]> {
  const predefined = await givenByInstance(ctx, job, run)
  return expandItems(strongest([...predefined, ...givenByPeople(ctx, job)]))
}

/** Weakest first. */
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

/** Weakest first. */
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
    // Last, so that the environment a job deploys to is the one it was made for.
    ...environmentVariables(ctx, project, job).flatMap(({ key, value }) => plain({ [key]: value })),
  ]
}

/** A variable as runners are sent it (spec ci 1.8). */
export interface JobVariable {
  readonly key: string
  readonly value: string
  readonly public: boolean
  readonly masked: boolean
  readonly file?: true
  readonly raw?: true
}

/** All variables of a job that a runner took, with the tokens that it asks for. */
export async function variablesOfJob(ctx: Ctx, taken: StoredJob & Run): Promise<JobVariable[]> {
  const items = await itemsOfJob(ctx, taken, taken)
  const { id_tokens } = optionsOf(taken.details)
  return [...items, ...(await idTokensOf(ctx, taken, id_tokens, items))].map(shown)
}

function shown({ key, value, isPublic, isMasked, isFile, isRaw }: Item): JobVariable {
  return {
    key,
    value,
    public: isPublic === true,
    masked: isMasked === true,
    ...(isFile ? { file: true } : {}),
    ...(isRaw ? { raw: true } : {}),
  }
}
