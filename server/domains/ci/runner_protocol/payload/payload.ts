import type { Ctx } from '../../../../ctx.ts'
import { findEntry } from '../../../../git/read/tree.ts'
import { fullPath, repoOf, type Project } from '../../../projects/index.ts'
import { settingsOf } from '../../../settings/index.ts'
import { dependenciesOf } from '../../artifacts/dependencies.ts'
import { expandText, FAILURE_REASONS, type Json } from '../../../ci_config/index.ts'
import { variablesOfJob, type JobVariable } from '../../job_variables/of-job.ts'
import { type JobDetailsRow, type JobRow, optionsOf } from '../../jobs/store.ts'
import { ensurePipelineRef } from '../../pipelines/refs.ts'
import type { PipelineRow } from '../../pipelines/store.ts'
import type { RunnerRow } from '../../runners/store.ts'
import { runningOnInstanceRunners } from '../store-queue.ts'
import { artifactUploads } from './artifacts.ts'
import { cacheEntries, keyFilesOf } from './cache.ts'
import { depthOf, gitInfoOf } from './git-info.ts'
import { imageOf, servicesOf } from './image.ts'
import { stepsOf } from './steps.ts'
import { textsOf } from './values.ts'

/** A job that a runner just took, and what belongs to it. */
export interface TakenJob {
  readonly project: Project
  readonly pipeline: PipelineRow
  readonly job: JobRow
  readonly details: JobDetailsRow
  readonly runner: RunnerRow
  /** Token of the job in plain text; nothing else shows it. */
  readonly token: string
}

/**
 * A job as its runner is sent it, with exactly the types that runners decode (spec ci 1.7, 1.8). Sees to it that the ref
 * under which the commit is fetched is there.
 */
export async function payloadOf(ctx: Ctx, taken: TakenJob) {
  const { project, pipeline, job, details, runner, token } = taken
  const options = optionsOf(details)
  await ensurePipelineRef(ctx, project, pipeline)
  const variables = await variablesOfJob(ctx, taken)
  const path = fullPath(project)
  const timeout = job.timeout!
  const running = runner.runner_type === 'instance_type' ? runningOnInstanceRunners(ctx.db, project.id) : null
  const depth = depthOf(variables, project.ci_default_git_depth)
  return {
    id: job.id,
    token,
    allow_git_fetch: project.build_git_strategy === 'fetch',
    job_info: jobInfoOf(job, project, { path, running }),
    git_info: gitInfoOf(taken, { url: ctx.config.url, path, token, depth }),
    runner_info: { timeout, runner_session_url: null },
    variables,
    steps: stepsOf(options, timeout),
    image: imageOf(options.image),
    services: servicesOf(options.services),
    artifacts: artifactUploads(options.artifacts),
    cache: await cacheOf(ctx, taken, variables),
    credentials: [],
    dependencies: dependenciesOf(ctx, job).map((one) => ({ ...one, token })),
    features: featuresOf([settingsOf(ctx).personal_access_token_prefix ?? '']),
    hooks: hooksOf(options.hooks),
  }
}

async function cacheOf(ctx: Ctx, { project, pipeline, job, details }: TakenJob, variables: JobVariable[]) {
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

/** What runners may count on; prefixes of tokens are masked in logs, at most ten of them (spec ci 1.8). */
function featuresOf(prefixes: readonly string[]) {
  return {
    trace_sections: true,
    token_mask_prefixes: [...new Set(prefixes)].filter((prefix) => prefix !== '').slice(0, 10),
    failure_reasons: [...FAILURE_REASONS],
  }
}

/** `hooks:` of a job as the runner receives them. */
export function hooksOf(given: Json): { name: string; script: string[] }[] {
  return Object.entries(given ?? {}).flatMap(([name, lines]) => {
    const script = textsOf(lines)
    return script && script.length > 0 ? [{ name, script }] : []
  })
}

/** What the runner writes into the head of the log, and its own statistics. */
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
  /** A text in the protocol. */
  readonly project_jobs_running_on_instance_runners_count: string
}

/** Runners of the instance learn how many jobs of the project run on them, up to this number. */
const MOST_COUNTED = 1000

/** `job_info`; `running` are the project's jobs on runners of the instance, null for other runners (spec ci 1.7). */
export function jobInfoOf(
  job: JobRow,
  project: Project,
  more: { readonly path: string; readonly running: number | null },
): JobInfo {
  const waited = job.queued_at === null ? 0 : Date.parse(job.started_at!) - Date.parse(job.queued_at)
  return {
    id: job.id,
    name: job.name,
    stage: job.stage,
    project_id: project.id,
    project_name: project.name,
    project_full_path: more.path,
    pipeline_id: job.pipeline_id,
    namespace_id: project.namespace_id,
    user_id: job.user_id ?? 0,
    time_in_queue_seconds: Math.max(waited, 0) / 1000,
    project_jobs_running_on_instance_runners_count: countOf(more.running),
  }
}

function countOf(running: number | null): string {
  if (running === null) return '+Inf'
  return running < MOST_COUNTED ? String(running) : `${MOST_COUNTED}+`
}
