import type { Ctx } from '../../../ctx.ts'
import {
  type JobRow,
  pipelineById,
  type PipelineRow,
  variablesGivenTo,
  pipelineStatusTexts,
} from '../../ci/index.ts'
import { mergeRequestById, showMergeRequests } from '../../merge_requests/index.ts'
import { fullPath, type Project, projectById } from '../../projects/index.ts'
import type { HookEvent } from '../recording/hook-event.ts'
import {
  commitBlock,
  hookTime,
  projectUrl,
  shortProjectBlock,
  type UserBlock,
  userBlockOf,
} from './blocks.ts'
import * as store from './store.ts'

/**
 * Makes the event of a pipeline (spec administration 3.9) with a given status or its current one. Null if it is
 * deleted.
 */
export async function pipelineEvent(
  ctx: Ctx,
  id: number,
  status?: PipelineRow['status'],
): Promise<HookEvent | null> {
  const row = pipelineById(ctx.db, id)
  const project = row && projectById(ctx.db, row.project_id)
  if (!project) return null
  const pipeline = { ...timesAt(row, status ?? row.status), status: status ?? row.status }
  const [commit, mergeRequest] = await Promise.all([
    commitBlock(ctx, project, pipeline.sha),
    mergeRequestBlock(ctx, pipeline),
  ])
  // A pipeline of a merge request shows the source branch, not its internal ref.
  const ref = mergeRequest?.source_branch ?? pipeline.ref
  const payload = {
    object_kind: 'pipeline',
    object_attributes: attributesOf(ctx, project, { ...pipeline, ref }),
    merge_request: mergeRequest,
    user: userBlockOf(ctx, pipeline.user_id),
    project: shortProjectBlock(ctx, project),
    commit,
    ...sourceOf(ctx, pipeline),
    builds: buildsOf(ctx, pipeline),
  }
  return { kind: 'pipeline', project_id: project.id, ref, payload }
}

function attributesOf(ctx: Ctx, project: Project, row: PipelineRow) {
  return {
    id: row.id,
    iid: row.iid,
    ref: row.ref,
    tag: row.tag,
    sha: row.sha,
    before_sha: row.before_sha,
    source: row.source,
    status: row.status,
    detailed_status: pipelineStatusTexts(row.status, store.hasWarnings(ctx.db, row.id)).label,
    stages: store.stagesOf(ctx.db, row.id),
    created_at: hookTime(row.created_at),
    finished_at: hookTime(row.finished_at),
    duration: row.finished_at === null ? null : row.duration,
    queued_duration: row.started_at && Math.floor(seconds(row.created_at, row.started_at, ctx.now)!),
    variables: variablesGivenTo(ctx, row.id).map(({ key, value }) => ({ key, value })),
    url: `${projectUrl(ctx, project)}/-/pipelines/${row.id}`,
  }
}

async function mergeRequestBlock(ctx: Ctx, { merge_request_id: id }: PipelineRow) {
  const row = id === null ? undefined : mergeRequestById(ctx.db, id)
  const target = row && projectById(ctx.db, row.project_id)
  if (!target) return null
  const [view] = await showMergeRequests(ctx, [row])
  return {
    id: row.id,
    iid: row.iid,
    title: row.title,
    source_branch: row.source_branch,
    source_project_id: row.source_project_id,
    target_branch: row.target_branch,
    target_project_id: row.project_id,
    state: row.state,
    merge_status: row.merge_status,
    detailed_merge_status: view!.detailed_merge_status,
    url: `${projectUrl(ctx, target)}/-/merge_requests/${row.iid}`,
  }
}

/** The upstream pipeline and its trigger job. Empty for a pipeline without one. */
function sourceOf(ctx: Ctx, row: PipelineRow) {
  const upstream =
    row.upstream_pipeline_id === null ? undefined : pipelineById(ctx.db, row.upstream_pipeline_id)
  const project = upstream && projectById(ctx.db, upstream.project_id)
  if (!project) return {}
  const upstreamProject = {
    id: project.id,
    web_url: projectUrl(ctx, project),
    path_with_namespace: fullPath(project),
  }
  return {
    source_pipeline: { project: upstreamProject, job_id: row.upstream_job_id, pipeline_id: upstream.id },
  }
}

function buildsOf(ctx: Ctx, { id, project_id }: PipelineRow) {
  const jobs = store.latestJobs(ctx.db, id)
  const related = loadJobRelations(ctx, project_id, jobs)
  return jobs.map((job) => buildBlock(ctx, job, related))
}

/** Values of `when` for jobs that do not start by themselves. */
const NOT_AUTOMATIC = new Set(['manual', 'delayed'])

function buildBlock(ctx: Ctx, job: Parameters<JobRelations['user']>[0], related: JobRelations) {
  return {
    id: job.id,
    stage: job.stage,
    name: job.name,
    status: job.status,
    created_at: hookTime(job.created_at),
    started_at: hookTime(job.started_at),
    finished_at: hookTime(job.finished_at),
    duration: seconds(job.started_at, job.finished_at, ctx.now),
    queued_duration: queuedSeconds(job, ctx.now),
    failure_reason: job.status === 'failed' ? (job.failure_reason ?? 'unknown_failure') : null,
    when: job.when,
    manual: NOT_AUTOMATIC.has(job.when),
    allow_failure: job.allow_failure,
    user: related.user(job),
    runner: related.runner(job),
    artifacts_file: related.archive(job),
    environment: related.environment(job),
  }
}

/** Seconds between two times, up to `now` if the second is null. Null without the first. */
export function seconds(from: string | null, to: string | null, now: string): number | null {
  return from === null ? null : Math.max(0, (Date.parse(to ?? now) - Date.parse(from)) / 1000)
}

/** Seconds that a CI job waited for a runner. Null if it never got one. */
export function queuedSeconds(
  job: Pick<JobRow, 'queued_at' | 'started_at' | 'finished_at'>,
  now: string,
): number | null {
  return seconds(job.queued_at, job.started_at ?? job.finished_at, now)
}

/** Statuses of finished pipelines and jobs. */
const FINISHED = new Set(['success', 'failed', 'canceled', 'skipped'])

/** Statuses of started pipelines and jobs. */
const STARTED = new Set([...FINISHED, 'running', 'canceling'])

/** A pipeline or CI job with the times that it had in a status, because its row may have changed since. */
export function timesAt<Row extends { started_at: string | null; finished_at: string | null }>(
  row: Row,
  status: string,
): Row {
  return {
    ...row,
    started_at: STARTED.has(status) ? row.started_at : null,
    finished_at: FINISHED.has(status) ? row.finished_at : null,
  }
}

/** A runner in an event (spec administration 3.8, RU). */
export function runnerBlock(row: store.RunnerRow | undefined) {
  if (!row) return null
  return {
    id: row.id,
    description: row.description,
    runner_type: row.runner_type,
    active: !row.paused,
    is_shared: row.runner_type === 'instance_type',
    tags: row.tag_list,
  }
}

/** The rows that CI jobs refer to, loaded with a fixed number of queries. */
export interface JobRelations {
  runner(job: JobRow): ReturnType<typeof runnerBlock>
  user(job: JobRow): UserBlock | null
  /** The environment of a job, or null. */
  environment(job: JobRow): { name: string; action: string | null; deployment_tier: string | null } | null
  /** Name and size of the archive. Both are null without one. */
  archive(job: JobRow): { filename: string | null; size: number | null }
}

/** Loads the runners, users, environments and archives of CI jobs of one project. */
export function loadJobRelations(ctx: Ctx, projectId: number, jobs: readonly JobRow[]): JobRelations {
  const { db } = ctx
  const runners = store.runners(
    db,
    jobs.flatMap((job) => job.runner_id ?? []),
  )
  const users = new Map([...new Set(jobs.map((job) => job.user_id))].map((id) => [id, userBlockOf(ctx, id)]))
  const tiers = store.tiers(
    db,
    projectId,
    jobs.flatMap((job) => job.environment ?? []),
  )
  const archives = store.archives(
    db,
    jobs.map((job) => job.id),
  )
  return {
    runner: (job) => runnerBlock(runners.get(job.runner_id ?? 0)),
    user: (job) => users.get(job.user_id) ?? null,
    environment: ({ environment: name, environment_action: action }) =>
      name === null ? null : { name, action, deployment_tier: tiers.get(name) ?? null },
    archive(job) {
      const archive = archives.get(job.id)
      return { filename: archive?.filename ?? null, size: archive?.size ?? null }
    },
  }
}
