import type { Ctx } from '../../../ctx.ts'
import { isAble } from '../../../policy/ability.ts'
import { fullPath, project, type Project } from '../../projects/index.ts'
import { downstreamOf, upstreamOf } from '../jobs/view.ts'
import * as jobs from '../jobs/store.ts'
import type { JobRow } from '../jobs/store.ts'
import type { PipelineWithPath } from '../pipelines/entity.ts'
import type { PipelineRow } from '../pipelines/store.ts'
import { abilities, mayChange } from '../policy.ts'
import { composite, wordOf } from '../processing/status.ts'
import { usualDurations } from './store.ts'

/** A job in the graph of a pipeline. */
export interface GraphJob {
  readonly row: JobRow
  /** Number of its older copies. */
  readonly retries: number
  /** Its usual duration in seconds. */
  readonly usually: number | null
  readonly downstream: PipelineWithPath | null
  /** True if the reader may start, cancel and retry it. */
  readonly mayChangeJobs: boolean
}

/** The graph of a pipeline: its stages with their jobs. */
export interface PipelineGraph {
  readonly row: PipelineRow
  readonly path: string
  readonly upstream: PipelineWithPath | null
  readonly stages: readonly { name: string; status: string; jobs: readonly GraphJob[] }[]
}

/** The status of jobs that run together. */
function statusOf(rows: readonly JobRow[]): string {
  return composite(new Set(rows.map((row) => wordOf(row.status, row.allow_failure)))) ?? 'created'
}

/** The graph of a pipeline; a few small queries, because the window requests it after every change of a job. */
export function graphOf(ctx: Ctx, owner: Project, pipeline: PipelineRow): PipelineGraph {
  const rows = jobs.ofPipeline(ctx.db, pipeline.id)
  const current = rows.filter((row) => !row.retried)
  const copies = new Map<string, number>()
  for (const row of rows) copies.set(row.name, (copies.get(row.name) ?? -1) + 1)
  const fallback = usualDurations(ctx.db, owner.id, pipeline.id)
  const bridges = current.filter((row) => row.kind === 'bridge')
  const downstream = downstreamOf(
    ctx,
    bridges.map((row) => row.id),
  )
  const mayChangeJobs =
    isAble(ctx, project, abilities.change_jobs, owner, true) && mayChange(ctx, owner, pipeline)
  const views = current.map((row) => ({
    row,
    retries: copies.get(row.name) ?? 0,
    usually: fallback.get(row.name) ?? null,
    downstream: downstream.get(row.id) ?? null,
    mayChangeJobs,
  }))
  const stages = [...Map.groupBy(views, (job) => job.row.stage)].map(([name, inStage]) => ({
    name,
    status: statusOf(inStage.map((job) => job.row)),
    jobs: inStage,
  }))
  return { row: pipeline, path: fullPath(owner), upstream: upstreamOf(ctx, pipeline), stages }
}
