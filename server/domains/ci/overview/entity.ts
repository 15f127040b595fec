import { z } from 'zod'

import { entity, time } from '../../../http/entity.ts'
import { UserBasic } from '../../users/entity.ts'
import type { OverviewRow, RunningJob } from './service.ts'
import { composite, wordOf } from '../processing/composite.ts'
import type { Counted } from './store.ts'

/** A pipeline as a line in the window's list. */
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
  ({ row, user, commit, request, counts }: OverviewRow, at) => {
    const stages = stagesOf(counts)
    return {
      id: row.id,
      iid: row.iid,
      name: row.name,
      status: row.status,
      warnings: stages.some((stage) => stage.warnings),
      source: row.source,
      ref: row.ref,
      tag: row.tag,
      sha: row.sha,
      title: commit?.title ?? null,
      yaml_errors: row.yaml_errors,
      merge_request_iid: request,
      user: user && UserBasic.present(user, at),
      stages,
      created_at: row.created_at,
      started_at: row.started_at,
      finished_at: row.finished_at,
      duration: row.duration,
    }
  },
)

/** A running job as the first page of the window shows it. */
export const RunningJobLine = entity(
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
  ({ row, path, project, runner, usually }: RunningJob) => ({
    id: row.id,
    name: row.name,
    project_name: project.name,
    project_path: path,
    pipeline_id: row.pipeline_id,
    started_at: row.started_at,
    usually,
    runner,
  }),
)

/** A stage with the status of its jobs together. */
export interface StageStatus {
  readonly name: string
  readonly status: string
  /** True if a job failed that is allowed to fail. */
  readonly warnings: boolean
}

/** The stages of a pipeline with the status of their jobs, in the order given. Pure. */
export function stagesOf(
  counts: readonly Pick<Counted, 'stage' | 'status' | 'allow_failure'>[],
): StageStatus[] {
  const stages = Map.groupBy(counts, (one) => one.stage)
  return [...stages].map(([name, jobs]) => {
    const words = new Set(jobs.map((job) => wordOf(job.status, job.allow_failure)))
    return { name, status: composite(words) ?? 'created', warnings: words.has('warning') }
  })
}
