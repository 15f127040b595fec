import { z } from 'zod'

import { date, entity, time, row } from '../../../http/entity.ts'
import { UserBasic } from '../../users/entity.ts'
import type { OverviewRow, PipelineCounts, RunningJob, StateRow } from './service.ts'
import { combinedStatus, effectiveStatus } from '../processing/status.ts'
import type { StageCount } from './store.ts'

/** A pipeline in the window's list. */
export const PipelineOverview = entity(
  'PipelineOverview',
  {
    id: z.int(),
    iid: z.int(),
    name: z.string().nullable(),
    status: z.string(),
    warnings: z.boolean(),
    source: z.string(),
    ref: z.string(),
    tag: z.boolean(),
    sha: z.string(),
    title: z.string().nullable(),
    yaml_errors: z.string().nullable(),
    merge_request_iid: z.int().nullable(),
    user: UserBasic.schema.nullable(),
    stages: z.array(z.strictObject({ name: z.string(), status: z.string(), warnings: z.boolean() })),
    created_at: time(),
    started_at: time().nullable(),
    finished_at: time().nullable(),
    duration: z.int().nullable(),
  },
  row((view: OverviewRow) => view.row),
  ({ user, commit, request, counts }: OverviewRow, at) => {
    const stages = stagesOf(counts)
    return {
      warnings: stages.some((stage) => stage.warnings),
      title: commit?.title ?? null,
      merge_request_iid: request,
      user: user && UserBasic.present(user, at),
      stages,
    }
  },
)

/** The newest pipeline of a commit or a default branch. `of` is the query that it answers. */
export const PipelineState = entity(
  'PipelineState',
  {
    of: z.string(),
    pipeline_id: z.int(),
    status: z.string(),
    warnings: z.boolean(),
  },
  ({ of, row, counts }: StateRow) => ({
    of,
    pipeline_id: row.id,
    status: row.status,
    warnings: stagesOf(counts).some((stage) => stage.warnings),
  }),
)

/** The pipelines of one day or week, for the charts. */
export const PipelinesOfDay = entity(
  'PipelinesOfDay',
  {
    day: date(),
    total: z.int(),
    success: z.int(),
    failed: z.int(),
    canceled: z.int(),
    median_duration: z.int().nullable(),
    longest_duration: z.int().nullable(),
  },
  (counts: PipelineCounts) => ({ ...counts }),
)

/** A running job on the first page of the window. */
export const RunningJobItem = entity(
  'RunningJob',
  {
    id: z.int(),
    name: z.string(),
    project_name: z.string(),
    project_path: z.string(),
    pipeline_id: z.int(),
    started_at: time().nullable(),
    usually: z.number().nullable(),
    runner: z.string().nullable(),
  },
  row((view: RunningJob) => view.row),
  ({ path, project, runner, usually }) => ({
    project_name: project.name,
    project_path: path,
    usually,
    runner,
  }),
)

/** A stage with the combined status of its jobs. */
export interface StageStatus {
  readonly name: string
  readonly status: string
  /** Whether a job that is allowed to fail has failed. */
  readonly warnings: boolean
}

/** The stages of a pipeline with the combined status of their jobs, in the order of `counts`. */
export function stagesOf(
  counts: readonly Pick<StageCount, 'stage' | 'status' | 'allow_failure'>[],
): StageStatus[] {
  const stages = Map.groupBy(counts, (count) => count.stage)
  return [...stages].map(([name, jobs]) => {
    const statuses = new Set(jobs.map((job) => effectiveStatus(job.status, job.allow_failure)))
    return { name, status: combinedStatus(statuses) ?? 'created', warnings: statuses.has('warning') }
  })
}
