import type { Ctx } from '../../../ctx.ts'
import { onBehalfOf } from '../../planning/index.ts'
import { fullPath, projectById } from '../../projects/index.ts'
import { type CompiledJob, expandText, type Need, type OtherNeeds } from '../../ci_config/index.ts'
import { configItems, pipelineVariableItems } from '../job_variables/item.ts'
import { byId as pipelineById } from '../pipelines/store.ts'
import { detailsOf, type JobRow } from '../jobs/store.ts'
import { mayFetch, visibleProject } from '../visibility.ts'
import { latestWithArchive, isExpired, rootOf } from './expiry.ts'
import * as store from './store.ts'

/** A dependency of a job in the form that runners receive (spec ci 1.8). */
export interface Dependency {
  readonly id: number
  readonly name: string
  /** Absent if the job has no archive. */
  readonly artifacts_file?: { readonly filename: string; readonly size: number }
}

type Options = Partial<Pick<CompiledJob, 'dependencies' | 'other_needs'>>

/** The maximum number of jobs of other pipelines that a job downloads files from. */
const MAX_OTHERS = 5

/**
 * The jobs that provide artifacts for a job: first those of its own pipeline, then those of other pipelines that the user
 * of the job may read.
 */
export function dependencyJobs(ctx: Ctx, job: JobRow): JobRow[] {
  const { local, others } = resolve(ctx, job)
  return [...local, ...others.filter((other): other is JobRow => other !== undefined)]
}

/** The dependencies of a job. Its runner downloads their files before it runs the job. */
export function dependenciesOf(ctx: Ctx, job: JobRow): Dependency[] {
  const jobs = dependencyJobs(ctx, job)
  const files = store.artifactsOf(
    ctx.db,
    jobs.map((entry) => entry.id),
  )
  return jobs.map((entry) => {
    const archive = files.get(entry.id)?.find((file) => file.file_type === 'archive')
    const isAvailable = archive && !isExpired(ctx, entry)
    return {
      id: entry.id,
      name: entry.name,
      ...(isAvailable ? { artifacts_file: { filename: archive.filename, size: archive.size } } : {}),
    }
  })
}

/**
 * Whether the files of all dependencies are available. If not, the job fails (`missing_dependency_failure`, spec ci
 * 1.6): files expired or were erased, or a job of another pipeline does not exist. A dependency that never had files is
 * no obstacle.
 */
export function hasAllDependencies(ctx: Ctx, job: JobRow): boolean {
  const { local, others } = resolve(ctx, job)
  if (others.includes(undefined)) return false
  return [...local, ...others].every((entry) => entry!.erased_at === null && !isExpired(ctx, entry!))
}

/** Finds the dependencies of a job. Those of other pipelines that do not exist are undefined. */
function resolve(ctx: Ctx, job: JobRow): { local: JobRow[]; others: (JobRow | undefined)[] } {
  const details = detailsOf(ctx.db, job.id)
  const options: Options = details ? (JSON.parse(details.options) as Options) : {}
  const others = options.other_needs
  const expand = others ? expanderFor(ctx, job) : undefined
  return {
    local: jobsOfPipeline(ctx, job, options.dependencies ?? null),
    others: others && expand ? jobsOfOtherPipelines(ctx, job, others, expand) : [],
  }
}

function jobsOfPipeline(ctx: Ctx, job: JobRow, dependencies: readonly string[] | null): JobRow[] {
  if (dependencies?.length === 0) return []
  const needs = job.needs === null ? null : (JSON.parse(job.needs) as Need[])
  const needed = needs && new Set(needs.filter((need) => need.artifacts).map((need) => need.name))
  const dependencyNames = dependencies && new Set(dependencies)
  return store
    .latestJobs(ctx.db, job.pipeline_id)
    .filter((candidate) => candidate.id !== job.id)
    .filter((candidate) => (needed ? needed.has(candidate.name) : candidate.stage_index < job.stage_index))
    .filter((candidate) => !dependencyNames || dependencyNames.has(candidate.name))
}

type Expand = (text: string) => string

/**
 * Returns a function that expands variables in the names of other pipelines, projects and jobs. It uses the variables of
 * the configuration, the pipeline and the project.
 */
function expanderFor(ctx: Ctx, job: JobRow): Expand {
  let values: Map<string, string> | undefined
  const load = () => {
    const details = detailsOf(ctx.db, job.id)
    const items = [...(details ? configItems(details) : []), ...pipelineVariableItems(ctx, job.pipeline_id)]
    const project = projectById(ctx.db, job.project_id)!
    return new Map([
      ['CI_COMMIT_REF_NAME', job.ref],
      ['CI_PROJECT_PATH', fullPath(project)],
      ['CI_PROJECT_NAMESPACE', fullPath(project).split('/').slice(0, -1).join('/')],
      ['CI_DEFAULT_BRANCH', project.default_branch],
      ...items.map(({ key, value }) => [key, value] as const),
    ])
  }
  return (text) => (text.includes('$') ? expandText(text, (name) => (values ??= load()).get(name)) : text)
}

function jobsOfOtherPipelines(
  ctx: Ctx,
  job: JobRow,
  others: OtherNeeds,
  expand: Expand,
): (JobRow | undefined)[] {
  const pipelines = others.cross_pipeline.filter((need) => need.artifacts).slice(0, MAX_OTHERS)
  const projects = others.cross_project.filter((need) => need.artifacts).slice(0, MAX_OTHERS)
  const family = pipelines.length > 0 ? familyOf(ctx, job) : new Set<number>()
  return [
    ...pipelines.map((pipeline) => jobOfFamily(ctx, family, expand(pipeline.pipeline), expand(pipeline.job))),
    ...projects.map((project) =>
      jobOfProject(ctx, job, {
        path: expand(project.project),
        ref: expand(project.ref),
        name: expand(project.job),
      }),
    ),
  ]
}

/** The IDs of a job's pipeline, its ancestors, and all their child pipelines. */
function familyOf(ctx: Ctx, job: JobRow): Set<number> {
  const pipeline = pipelineById(ctx.db, job.pipeline_id)
  return new Set(pipeline ? store.pipelineAndChildIds(ctx.db, rootOf(ctx.db, pipeline).id) : [])
}

function jobOfFamily(ctx: Ctx, family: ReadonlySet<number>, id: string, name: string): JobRow | undefined {
  const pipelineId = /^\d{1,15}$/.test(id) ? Number(id) : 0
  if (!family.has(pipelineId)) return undefined
  return store.latestJobs(ctx.db, pipelineId).findLast((job) => job.name === name)
}

/** Finds a job of another project if the user of this job may download its archive. */
function jobOfProject(
  ctx: Ctx,
  job: JobRow,
  target: { readonly path: string; readonly ref: string; readonly name: string },
): JobRow | undefined {
  const userCtx = withJobToken(ctx, job)
  const project = userCtx && visibleProject(userCtx, target.path)
  const latest =
    project && latestWithArchive(ctx.db, { project_id: project.id, ref: target.ref }, target.name)
  const archive = latest && store.ofType(ctx.db, latest.id, 'archive')
  return archive && mayFetch(userCtx!, project!, archive) ? latest : undefined
}

/**
 * A context with the permissions of the job's token: those of the job's user, limited to the projects in the token's
 * scope.
 */
function withJobToken(ctx: Ctx, job: JobRow): Ctx | undefined {
  const userCtx = onBehalfOf(ctx, job.user_id)
  if (!userCtx || userCtx.actor.kind !== 'user') return undefined
  const isConfined = projectById(ctx.db, job.project_id)?.ci_job_token_scope_enabled === true
  const consumer = { id: job.id, project_id: job.project_id, isConfined }
  return { ...userCtx, actor: { ...userCtx.actor, job: consumer } }
}
