import type { Ctx } from '../../../ctx.ts'
import { hasAbility } from '../../../policy/ability.ts'
import { fullPath, project, type Project } from '../../projects/index.ts'
import { downstreamOf, upstreamOf } from '../jobs/view.ts'
import * as jobs from '../jobs/store.ts'
import type { JobRow } from '../jobs/store.ts'
import type { PipelineWithPath } from '../pipelines/entity.ts'
import type { PipelineRow } from '../pipelines/store.ts'
import { abilities, mayChange } from '../policy.ts'
import { combinedStatus, effectiveStatus } from '../processing/status.ts'
import { usualDurations } from './store.ts'

/** A job in the graph of a pipeline. */
export interface GraphJob {
  readonly row: JobRow
  /** How often the job was retried. */
  readonly retries: number
  /** The usual duration of the job in seconds. */
  readonly usually: number | null
  readonly downstream: PipelineWithPath | null
  /** Whether the actor may start, cancel and retry the job. */
  readonly mayChangeJobs: boolean
}

/** The graph of a pipeline: its stages with their jobs. */
export interface PipelineGraph {
  readonly row: PipelineRow
  readonly path: string
  readonly upstream: PipelineWithPath | null
  readonly stages: readonly { name: string; status: string; jobs: readonly GraphJob[] }[]
}

/** The combined status of jobs. */
function statusOf(rows: readonly JobRow[]): string {
  return (
    combinedStatus(new Set(rows.map((row) => effectiveStatus(row.status, row.allow_failure)))) ?? 'created'
  )
}

/** Loads the graph of a pipeline with few small queries, because the window requests it after every change of a job. */
export function graphOf(ctx: Ctx, owner: Project, pipeline: PipelineRow): PipelineGraph {
  const rows = jobs.ofPipeline(ctx.db, pipeline.id)
  const current = rows.filter((row) => !row.retried)
  const retries = new Map<string, number>()
  for (const row of rows) retries.set(row.name, (retries.get(row.name) ?? -1) + 1)
  const durations = usualDurations(ctx.db, owner.id, pipeline.id)
  const bridges = current.filter((row) => row.kind === 'bridge')
  const downstream = downstreamOf(
    ctx,
    bridges.map((row) => row.id),
  )
  const mayChangeJobs =
    hasAbility(ctx, project, abilities.change_jobs, owner, true) && mayChange(ctx, owner, pipeline)
  const views = current.map((row) => ({
    row,
    retries: retries.get(row.name) ?? 0,
    usually: durations.get(row.name) ?? null,
    downstream: downstream.get(row.id) ?? null,
    mayChangeJobs,
  }))
  const stages = [...Map.groupBy(views, (job) => job.row.stage)].map(([name, stageJobs]) => ({
    name,
    status: statusOf(stageJobs.map((job) => job.row)),
    jobs: stageJobs,
  }))
  return { row: pipeline, path: fullPath(owner), upstream: upstreamOf(ctx, pipeline), stages }
}
