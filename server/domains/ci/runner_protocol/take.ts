import type { Ctx } from '../../../ctx.ts'
import { JOB_TOKEN_PREFIX } from '../../../lib/aliases.ts'
import { tokenDigest } from '../../../lib/security/crypto.ts'
import { projectById, type Project } from '../../projects/index.ts'
import { userById } from '../../users/index.ts'
import { hasAllDependencies } from '../artifacts/dependencies.ts'
import {
  byId,
  detailsOf,
  type JobDetailsRow,
  type JobOptions,
  type JobRow,
  optionsOf,
} from '../jobs/store.ts'
import { byId as pipelineById } from '../pipelines/store.ts'
import { dropJob, startJob } from '../processing/run.ts'
import type { RunnerRow } from '../runners/store.ts'
import { minutesUsed, QUEUE_DEPTH, pendingJobsFor } from './store-queue.ts'
import { payloadOf, type StartedJob } from './payload/payload.ts'
import { settingsOf } from '../../settings/index.ts'

/** The maximum timeout of a job in seconds: a month (spec ci 2.5). */
const MAX_TIMEOUT = 2_629_746

/** A runner that requests a job. */
export interface RequestingRunner {
  readonly runner: RunnerRow
  readonly system_id: string | null
  readonly features: RunnerFeatures
}

/** A job for a runner. `conflict` if the runner should retry immediately, undefined if there is no job. */
export type TakeResult = Awaited<ReturnType<typeof payloadOf>> | 'conflict' | undefined

/** Assigns the next matching pending job to a runner (spec ci 1.6). Jobs that cannot run fail with the reason. */
export async function takeJob(ctx: Ctx, requesting: RequestingRunner): Promise<TakeResult> {
  const { runner } = requesting
  const excluded = runner.runner_type === 'instance_type' ? namespacesWithoutMinutes(ctx) : []
  const ids = pendingJobsFor(ctx.db, runner, excluded)
  for (const id of ids) {
    const started = start(ctx, id, requesting)
    if (started === 'conflict') return started
    if (!started) continue
    try {
      return await payloadOf(ctx, started)
    } catch (error) {
      ctx.log.error({ err: error, job_id: id }, 'a job could not be sent to its runner')
      dropJob(ctx, started.job, 'scheduler_failure')
    }
  }
  return ids.length < QUEUE_DEPTH ? undefined : 'conflict'
}

/** Starts a job. Undefined if the job cannot run and failed, `conflict` if another runner was faster. */
function start(
  ctx: Ctx,
  id: number,
  { runner, system_id, features }: RequestingRunner,
): StartedJob | 'conflict' | undefined {
  const candidate = candidateOf(ctx, id)
  if (!candidate) return 'conflict'
  const reason = refusalOf(ctx, candidate, features)
  if (reason) {
    dropJob(ctx, candidate.job, reason)
    return undefined
  }
  const token = JOB_TOKEN_PREFIX + ctx.random.token(20)
  const job = startJob(ctx, id, {
    runner_id: runner.id,
    runner_system_id: system_id,
    token_digest: tokenDigest(token),
    timeout: timeoutOf(candidate, runner),
  })
  if (!job) return 'conflict'
  return { ...candidate, job, pipeline: pipelineById(ctx.db, job.pipeline_id)!, runner, token }
}

function candidateOf(ctx: Ctx, id: number): Candidate | undefined {
  const job = byId(ctx.db, id)
  const details = detailsOf(ctx.db, id)
  const project = job && projectById(ctx.db, job.project_id)
  return job?.status === 'pending' && details && project ? { job, details, project } : undefined
}

/** The timeout of a job in seconds (spec ci 2.5): its own or that of the project, limited by that of the runner. */
function timeoutOf({ details, project }: Candidate, runner: RunnerRow): number {
  const timeout = optionsOf(details).timeout ?? project.build_timeout
  return Math.min(timeout, runner.maximum_timeout ?? Infinity, MAX_TIMEOUT)
}

/** A pending job with the data for the checks before it starts. */
interface Candidate {
  readonly job: JobRow
  readonly project: Project
  readonly details: JobDetailsRow
}

/** The failure reason of a matching job that cannot run (spec ci 1.6). Null if it can run. */
function refusalOf(ctx: Ctx, candidate: Candidate, features: RunnerFeatures): string | null {
  const { job, project, details } = candidate
  if (project.marked_for_deletion_at !== null) return 'project_deleted'
  if (project.builds_access_level === 'disabled') return 'builds_disabled'
  const user = job.user_id === null ? undefined : userById(ctx.db, job.user_id)
  if (user?.state !== 'active') return 'user_blocked'
  if (!hasAllDependencies(ctx, job)) return 'missing_dependency_failure'
  return hasFeatures(features, requiredFeatures(job, optionsOf(details))) ? null : 'runner_unsupported'
}

/**
 * The top-level namespaces that have used all of this month's minutes on instance runners (spec administration 1.2,
 * `shared_runners_minutes`; 0 means no limit). A group or user may have a limit of its own.
 */
export function namespacesWithoutMinutes(ctx: Pick<Ctx, 'db' | 'now'>): readonly number[] {
  const limit = settingsOf(ctx).shared_runners_minutes ?? 0
  if (limit === 0) return []
  const month = ctx.now.slice(0, 7)
  return ctx.db.remember(`ci:spent:${month}`, () =>
    minutesUsed(ctx.db, { limit, now: ctx.now, since: `${month}-01` })
      .filter(({ minutes, seconds }) => minutes > 0 && seconds >= minutes * 60)
      .map(({ id }) => id),
  )
}

/** The features that a runner reports. */
export type RunnerFeatures = Readonly<Record<string, unknown>>

/** The names of the features that a job requires (spec ci 1.6). */
export function requiredFeatures(job: Pick<JobRow, 'ref'>, options: JobOptions): string[] {
  const features: [name: string, isRequired: boolean][] = [
    ['upload_multiple_artifacts', options.artifacts?.['reports'] !== undefined],
    ['refspecs', job.ref.startsWith('refs/')],
    ['artifacts_exclude', options.artifacts?.['exclude'] !== undefined],
    ['multi_build_steps', options.release !== null],
    ['return_exit_code', options.allowed_exit_codes !== null],
  ]
  return features.filter(([, isRequired]) => isRequired).map(([name]) => name)
}

/** Whether a runner has all features that a job requires. */
export function hasFeatures(features: RunnerFeatures, required: readonly string[]): boolean {
  return required.every((name) => features[name] === true)
}
