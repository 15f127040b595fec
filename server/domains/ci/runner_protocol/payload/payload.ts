import type { Ctx } from '../../../../ctx.ts'
import { findEntry } from '../../../../git/read/tree.ts'
import { fullPath, repoOf, type Project } from '../../../projects/index.ts'
import { settingsOf } from '../../../settings/index.ts'
import { dependenciesOf } from '../../artifacts/dependencies.ts'
import { expandText, FAILURE_REASONS, type Json } from '../../../ci_config/index.ts'
import { variablesOfJob, type JobVariable } from '../../job_variables/of-job.ts'
import { type JobDetailsRow, type JobRow, optionsOf, type JobOptions } from '../../jobs/store.ts'
import { ensurePipelineRef, pipelineRef } from '../../pipelines/refs.ts'
import type { PipelineRow } from '../../pipelines/store.ts'
import type { RunnerRow } from '../../runners/store.ts'
import { runningOnInstanceRunners } from '../store-queue.ts'
import { imageOf, servicesOf, cacheEntries, keyFilesOf, artifactUploads } from './parts.ts'
import { textsOf, textOf, hashOf } from './values.ts'
import { JOB_TOKEN_LOGIN } from '../../../../lib/aliases.ts'

/** A step: commands of a job that run in one script. */
export interface Step {
  readonly name: string
  readonly script: readonly string[]
  /** Seconds. */
  readonly timeout: number
  readonly when: 'on_success' | 'always'
  readonly allow_failure: boolean
}

type Scripts = Pick<JobOptions, 'before_script' | 'script' | 'after_script' | 'release'>

/** The steps of a job in their order (spec ci 1.8). `timeout` is the job's timeout in seconds. */
export function stepsOf(options: Scripts, timeout: number): Step[] {
  const onSuccess = { timeout, when: 'on_success', allow_failure: false } as const
  const steps: Step[] = [
    { name: 'script', script: [...options.before_script, ...options.script], ...onSuccess },
  ]
  const release = releaseLines(options.release)
  if (release.length > 0) steps.push({ name: 'release', script: release, ...onSuccess })
  if (options.after_script.length > 0)
    steps.push({
      name: 'after_script',
      script: options.after_script,
      timeout,
      when: 'always',
      allow_failure: true,
    })
  return steps
}

/** The flags of `release-cli` by the key of `release:`. */
const FLAGS = {
  name: 'name',
  description: 'description',
  tag_name: 'tag-name',
  tag_message: 'tag-message',
  ref: 'ref',
  released_at: 'released-at',
} as const

/**
 * The shell command that creates the release of a job. The shell expands its variables. Empty without `release:`.
 */
export function releaseLines(release: Json): string[] {
  if (!release) return []
  const flags = Object.entries(FLAGS).flatMap(([key, flag]) => {
    const value = textOf(release[key])
    return value === null ? [] : [` --${flag} ${quoted(value)}`]
  })
  const milestones = (textsOf(release['milestones']) ?? []).map((title) => ` --milestone ${quoted(title)}`)
  const links = hashOf(release['assets'])['links']
  const assets = (Array.isArray(links) ? links : []).map(
    (link) => ` --assets-link ${quoted(JSON.stringify(link))}`,
  )
  return [`release-cli create${[...flags, ...milestones, ...assets].join('')}`]
}

/** Quotes a text for the shell, which then expands only variables in it. */
function quoted(text: string): string {
  return `"${text.replace(/[\\"`]/g, (char) => `\\${char}`)}"`
}

/** A job that a runner has just taken, with related data. */
export interface StartedJob {
  readonly project: Project
  readonly pipeline: PipelineRow
  readonly job: JobRow
  readonly details: JobDetailsRow
  readonly runner: RunnerRow
  /** The token of the job in plain text. Only its digest is stored. */
  readonly token: string
}

/**
 * The job in the form that runners decode, with exactly these types (spec ci 1.7, 1.8). Creates the ref from which the
 * runner fetches the commit.
 */
export async function payloadOf(ctx: Ctx, started: StartedJob) {
  const { project, pipeline, job, details, runner, token } = started
  const options = optionsOf(details)
  await ensurePipelineRef(ctx, project, pipeline)
  const variables = await variablesOfJob(ctx, started)
  const path = fullPath(project)
  const timeout = job.timeout!
  const running = runner.runner_type === 'instance_type' ? runningOnInstanceRunners(ctx.db, project.id) : null
  const depth = depthOf(variables, project.ci_default_git_depth)
  return {
    id: job.id,
    token,
    allow_git_fetch: project.build_git_strategy === 'fetch',
    job_info: jobInfoOf(job, project, { path, running }),
    git_info: gitInfoOf(started, { url: ctx.config.url, path, token, depth }),
    runner_info: { timeout, runner_session_url: null },
    variables,
    steps: stepsOf(options, timeout),
    image: imageOf(options.image),
    services: servicesOf(options.services),
    artifacts: artifactUploads(options.artifacts),
    cache: await cacheOf(ctx, started, variables),
    credentials: [],
    dependencies: dependenciesOf(ctx, job).map((dependency) => ({ ...dependency, token })),
    features: featuresOf([settingsOf(ctx).personal_access_token_prefix ?? '']),
    hooks: hooksOf(options.hooks),
  }
}

async function cacheOf(ctx: Ctx, { project, pipeline, job, details }: StartedJob, variables: JobVariable[]) {
  const { cache } = optionsOf(details)
  const repo = repoOf(ctx, project)
  const blobs = new Map<string, string | null>()
  for (const file of keyFilesOf(cache))
    blobs.set(file, (await findEntry(repo, pipeline.sha, file).catch(() => null))?.id ?? null)
  const values = new Map(variables.map(({ key, value }) => [key, value]))
  return cacheEntries(cache, {
    isSeparated: project.ci_separated_caches,
    isProtected: job.protected,
    blobs,
    expand: (text) => expandText(text, (name) => values.get(name)),
  })
}

/** The features of the instance (spec ci 1.8). Runners mask tokens with these prefixes in logs, at most ten prefixes. */
function featuresOf(prefixes: readonly string[]) {
  return {
    trace_sections: true,
    token_mask_prefixes: [...new Set(prefixes)].filter((prefix) => prefix !== '').slice(0, 10),
    failure_reasons: [...FAILURE_REASONS],
  }
}

/** The hooks of a job in the form that runners receive. */
export function hooksOf(value: Json): { name: string; script: string[] }[] {
  return Object.entries(value ?? {}).flatMap(([name, lines]) => {
    const script = textsOf(lines)
    return script && script.length > 0 ? [{ name, script }] : []
  })
}

/** The information about a job that the runner shows in the log and in its statistics. */
export interface JobInfo {
  readonly id: number
  readonly name: string
  readonly stage: string
  readonly project_id: number
  readonly project_name: string
  readonly project_full_path: string
  readonly pipeline_id: number
  readonly namespace_id: number
  readonly user_id: number
  readonly time_in_queue_seconds: number
  /** The protocol sends this number as a text. */
  readonly project_jobs_running_on_instance_runners_count: string
}

/** The maximum reported number of a project's running jobs on instance runners. */
const MAX_COUNTED = 1000

/**
 * The `job_info` of a job (spec ci 1.7). `running` is the number of the project's running jobs on instance runners. It is
 * null for other runners.
 */
export function jobInfoOf(
  job: JobRow,
  project: Project,
  { path, running }: { readonly path: string; readonly running: number | null },
): JobInfo {
  const queuedMs = job.queued_at === null ? 0 : Date.parse(job.started_at!) - Date.parse(job.queued_at)
  return {
    id: job.id,
    name: job.name,
    stage: job.stage,
    project_id: project.id,
    project_name: project.name,
    project_full_path: path,
    pipeline_id: job.pipeline_id,
    namespace_id: project.namespace_id,
    user_id: job.user_id ?? 0,
    time_in_queue_seconds: Math.max(queuedMs, 0) / 1000,
    project_jobs_running_on_instance_runners_count: countOf(running),
  }
}

function countOf(running: number | null): string {
  if (running === null) return '+Inf'
  return running < MAX_COUNTED ? String(running) : `${MAX_COUNTED}+`
}

/** The information with which a runner fetches the code. */
export interface GitInfo {
  readonly repo_url: string
  readonly repo_object_format: 'sha1'
  readonly ref: string
  readonly sha: string
  readonly before_sha: string
  readonly ref_type: 'branch' | 'tag'
  readonly refspecs: readonly string[]
  readonly depth: number
  readonly protected: boolean
}

/** The depth of the clone, from the variables of the job or the setting of the project. 0 means the whole history. */
export function depthOf(
  variables: readonly { key: string; value: string }[],
  fallback: number | null,
): number {
  const input = variables.find(({ key }) => key === 'GIT_DEPTH')?.value
  const depth = input === undefined || input === '' ? (fallback ?? 0) : Number(input)
  return Number.isSafeInteger(depth) && depth > 0 ? depth : 0
}

/**
 * The refspecs to fetch (spec ci 1.8): the ref of the pipeline, and its branch or tag, so that scripts can use the name.
 * For a full clone these are all branches and tags.
 */
export function refspecsOf(
  pipeline: Pick<PipelineRow, 'id' | 'ref' | 'tag' | 'merge_request_id'>,
  depth: number,
): string[] {
  const refspec = `+${pipelineRef(pipeline.id)}:${pipelineRef(pipeline.id)}`
  if (depth === 0) return [refspec, '+refs/heads/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*']
  if (pipeline.tag) return [refspec, `+refs/tags/${pipeline.ref}:refs/tags/${pipeline.ref}`]
  if (pipeline.ref.startsWith('refs/')) return [refspec]
  return [refspec, `+refs/heads/${pipeline.ref}:refs/remotes/origin/${pipeline.ref}`]
}

/** The `git_info` of a job. */
export function gitInfoOf(
  { pipeline, job }: { readonly pipeline: PipelineRow; readonly job: JobRow },
  source: { readonly url: string; readonly path: string; readonly token: string; readonly depth: number },
): GitInfo {
  return {
    repo_url: urlWithToken(source),
    repo_object_format: 'sha1',
    ref: job.ref,
    sha: pipeline.sha,
    before_sha: pipeline.before_sha,
    ref_type: job.tag ? 'tag' : 'branch',
    refspecs: refspecsOf(pipeline, source.depth),
    depth: source.depth,
    protected: job.protected,
  }
}

function urlWithToken({ url, path, token }: { url: string; path: string; token: string }): string {
  const repositoryUrl = new URL(`${url}/${path}.git`)
  repositoryUrl.username = JOB_TOKEN_LOGIN
  repositoryUrl.password = token
  return repositoryUrl.href
}
