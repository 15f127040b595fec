import type { Ctx } from '../../../ctx.ts'
import { pipelineById, type PipelineRow, variablesGivenTo, wordsOfPipeline } from '../../ci/index.ts'
import { mergeRequestById, showMergeRequests } from '../../merge_requests/index.ts'
import { fullPath, type Project, projectById } from '../../projects/index.ts'
import type { HookEvent } from '../recording/hook-event.ts'
import { commitBlock, hookTime, projectUrl, shortProjectBlock, userBlockOf } from './blocks/index.ts'
import { type JobParts, partsOf, queuedSeconds, seconds, timesAt } from './ci-blocks.ts'
import * as store from './ci-store.ts'

/**
 * The event of a pipeline (spec administration 3.9) with a status that it had, or with the one it has; null where it is
 * gone.
 */
export async function pipelineEvent(ctx: Ctx, id: number, status?: string): Promise<HookEvent | null> {
  const row = pipelineById(ctx.db, id)
  const project = row && projectById(ctx.db, row.project_id)
  if (!project) return null
  const pipeline = { ...timesAt(row, status ?? row.status), status: status ?? row.status }
  const [commit, mergeRequest] = await Promise.all([
    commitBlock(ctx, project, pipeline.sha),
    mergeRequestBlock(ctx, pipeline),
  ])
  // For people, one of a merge request belongs to the branch that is to be merged.
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
    detailed_status: wordsOfPipeline(row.status, store.hasWarnings(ctx.db, row.id)).label,
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

/** The pipeline and the trigger job that made it; nothing for one that no other made. */
function sourceOf(ctx: Ctx, row: PipelineRow) {
  const upstream =
    row.upstream_pipeline_id === null ? undefined : pipelineById(ctx.db, row.upstream_pipeline_id)
  const project = upstream && projectById(ctx.db, upstream.project_id)
  if (!project) return {}
  const place = {
    id: project.id,
    web_url: projectUrl(ctx, project),
    path_with_namespace: fullPath(project),
  }
  return {
    source_pipeline: { project: place, job_id: row.upstream_job_id, pipeline_id: upstream.id },
  }
}

function buildsOf(ctx: Ctx, { id, project_id }: PipelineRow) {
  const jobs = store.latestJobs(ctx.db, id)
  const parts = partsOf(ctx, project_id, jobs)
  return jobs.map((job) => buildBlock(ctx, job, parts))
}

/** When somebody or the clock has to start it. */
const STARTED_BY_HAND = new Set(['manual', 'delayed'])

function buildBlock(ctx: Ctx, job: Parameters<JobParts['user']>[0], parts: JobParts) {
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
    manual: STARTED_BY_HAND.has(job.when),
    allow_failure: job.allow_failure,
    user: parts.user(job),
    runner: parts.runner(job),
    artifacts_file: parts.archive(job),
    environment: parts.environment(job),
  }
}
