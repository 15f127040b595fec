import type { Ctx } from '../../../ctx.ts'
import { publish } from '../../../events/publish.ts'
import { JobChanged, PipelineChanged } from '../events.ts'
import type { JobRow } from '../jobs/store.ts'
import type { PipelineRow } from '../pipelines/store.ts'

/** Publishes that the status of a job changed, or that the job was created (`previous` null). */
export function publishJobChange(ctx: Ctx, job: JobRow, previous: string | null): void {
  publish(ctx, JobChanged, {
    project_id: job.project_id,
    pipeline_id: job.pipeline_id,
    job_id: job.id,
    kind: job.kind,
    name: job.name,
    status: job.status,
    previous_status: previous,
    runner_id: job.runner_id,
    has_environment: job.environment !== null,
    actor_id: ctx.actor.id,
  })
}

/** Publishes that the status of a pipeline changed. */
export function publishPipelineChange(ctx: Ctx, pipeline: PipelineRow, previous: string): void {
  publish(ctx, PipelineChanged, {
    project_id: pipeline.project_id,
    pipeline_id: pipeline.id,
    actor_id: ctx.actor.id,
    ref: pipeline.ref,
    sha: pipeline.sha,
    source: pipeline.source,
    merge_request_id: pipeline.merge_request_id,
    status: pipeline.status,
    previous_status: previous,
  })
}
