import type { Ctx } from '../../../ctx.ts'
import { publish } from '../../../events/publish.ts'
import { PipelineCreated } from '../events.ts'
import { byId as jobById } from '../jobs/store.ts'
import { refreshPipeline } from '../processing/state.ts'
import { publishJobChange } from '../processing/service-events.ts'
import * as store from './store.ts'
import type { PipelineRow } from './store.ts'

/** The commit and ref of a report. */
interface StatusTarget {
  readonly project_id: number
  readonly sha: string
  readonly ref: string
}

/**
 * The pipeline of external reports about a commit on a ref: the newest one, or a new one for reports. To be called in the
 * transaction of the report.
 */
export function pipelineForReports(ctx: Ctx, target: StatusTarget): PipelineRow {
  const { project_id, ref, sha } = target
  return store.newestOf(ctx.db, project_id, ref, sha) ?? begin(ctx, target)
}

function begin(ctx: Ctx, target: StatusTarget): PipelineRow {
  const row = store.insert(ctx.db, {
    ...target,
    source: 'external',
    status: 'created',
    user_id: ctx.actor.id,
    created_at: ctx.now,
    updated_at: ctx.now,
  })
  const { project_id, ref, sha, source, status } = row
  publish(ctx, PipelineCreated, {
    project_id,
    pipeline_id: row.id,
    actor_id: ctx.actor.id,
    ref,
    sha,
    source,
    status,
    merge_request_id: null,
  })
  return row
}

/**
 * Updates the pipeline after a report; `previous` is the former status of the report, null for a new one. To be called in
 * the transaction of the report.
 */
export function settleReport(ctx: Ctx, jobId: number, previous: string | null): void {
  const job = jobById(ctx.db, jobId)
  if (!job) return
  if (job.status !== previous) publishJobChange(ctx, job, previous)
  refreshPipeline(ctx, job.pipeline_id)
}
