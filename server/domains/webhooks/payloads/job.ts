import type { Ctx } from '../../../ctx.ts'
import { type Commit, findCommit } from '../../../git/read/commits.ts'
import { jobById, type JobRow, pipelineById, type PipelineRow } from '../../ci/index.ts'
import { type Project, projectById, repoOf } from '../../projects/index.ts'
import { userByCommitEmail } from '../../users/index.ts'
import type { HookEvent } from '../recording/hook-event.ts'
import { hookTime, pushedRepositoryBlock, userUrl } from './blocks.ts'
import { loadJobRelations, queuedSeconds, seconds, timesAt } from './pipeline.ts'
import * as store from './store.ts'

/**
 * Makes the event of a CI job (spec administration 3.9, build) with a given status or its current one. Null if the CI
 * job is deleted.
 */
export async function jobEvent(ctx: Ctx, id: number, status?: JobRow['status']): Promise<HookEvent | null> {
  const row = jobById(ctx.db, id)
  if (!row) return null
  const job = { ...timesAt(row, status ?? row.status), status: status ?? row.status }
  const [event] = await eventsOf(ctx, row.pipeline_id, [job])
  return event ?? null
}

/** Makes the events of the first CI jobs of a pipeline as they were created, with a fixed number of queries. */
export function firstJobEvents(ctx: Ctx, pipelineId: number): Promise<HookEvent[]> {
  const jobs = store.firstJobs(ctx.db, pipelineId).map((job) => ({
    ...timesAt(job, 'created'),
    status: 'created' as const,
    runner_id: null,
    queued_at: null,
  }))
  return eventsOf(ctx, pipelineId, jobs)
}

async function eventsOf(ctx: Ctx, pipelineId: number, jobs: readonly JobRow[]): Promise<HookEvent[]> {
  const pipeline = pipelineById(ctx.db, pipelineId)
  const project = pipeline && projectById(ctx.db, pipeline.project_id)
  if (!project) return []
  const commit = commitOf(ctx, pipeline, await findCommit(repoOf(ctx, project), pipeline.sha))
  const repository = pushedRepositoryBlock(ctx, project)
  const related = loadJobRelations(ctx, project.id, jobs)
  return jobs.map((job) => {
    const payload = {
      object_kind: 'build',
      ref: job.ref,
      tag: job.tag,
      before_sha: pipeline.before_sha,
      sha: pipeline.sha,
      ...attributesOf(ctx, job),
      pipeline_id: pipeline.id,
      runner: related.runner(job),
      project_id: project.id,
      project_name: nameOf(project),
      user: related.user(job),
      commit,
      repository,
      environment: related.environment(job),
    }
    return { kind: 'job', project_id: project.id, ref: job.ref, payload }
  })
}

function attributesOf(ctx: Ctx, job: JobRow) {
  return {
    build_id: job.id,
    build_name: job.name,
    build_stage: job.stage,
    build_status: job.status,
    build_created_at: hookTime(job.created_at),
    build_started_at: hookTime(job.started_at),
    build_finished_at: hookTime(job.finished_at),
    build_duration: seconds(job.started_at, job.finished_at, ctx.now),
    build_queued_duration: queuedSeconds(job, ctx.now),
    build_allow_failure: job.allow_failure,
    // Receivers expect this value also for CI jobs that did not fail.
    build_failure_reason: (job.status === 'failed' && job.failure_reason) || 'unknown_failure',
    retries_count: store.retriesOf(ctx.db, job),
  }
}

const nameOf = (project: Project): string => `${project.namespace_full_name} / ${project.name}`

/** The commit with the state of its pipeline. `id` is the pipeline's ID, as in the reference. */
function commitOf(ctx: Ctx, pipeline: PipelineRow, commit: Commit | null) {
  return {
    id: pipeline.id,
    sha: pipeline.sha,
    message: commit?.message ?? null,
    author_name: commit?.author_name ?? null,
    author_email: commit?.author_email ?? null,
    author_url: commit && authorUrl(ctx, commit.author_email),
    status: pipeline.status,
    duration: pipeline.duration,
    started_at: hookTime(pipeline.started_at),
    finished_at: hookTime(pipeline.finished_at),
  }
}

function authorUrl(ctx: Ctx, email: string): string {
  const user = userByCommitEmail(ctx, email)
  return user ? userUrl(ctx, user) : `mailto:${email}`
}
