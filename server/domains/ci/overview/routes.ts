import { endpoint } from '../../../http/endpoint.ts'
import { choice, int, list, text } from '../../../http/params.ts'
import { ok, page } from '../../../http/returns.ts'
import { project } from '../../projects/index.ts'
import { getPipeline } from '../pipelines/service.ts'
import { abilities } from '../policy.ts'
import { PipelineOverview, PipelinesOfDay, PipelineState, RunningJobItem } from './entity.ts'
import { graphOf, type PipelineGraph as Graph, type GraphJob } from './graph.ts'
import { countByPeriod, pipelineOverviews, pipelineStates, runningJobs } from './service.ts'
import { z } from 'zod'
import { entity, type Presentation, time } from '../../../http/entity.ts'
import { PipelineBasic, type PipelineWithPath } from '../pipelines/entity.ts'
import { jobStatusTexts } from '../pipelines/detailed-status.ts'
import { isPlayable, isRetryable, isCancelable } from '../processing/status.ts'

/** An upstream or downstream pipeline, which may belong to another project. */
const linkedPipeline = z.strictObject({ ...PipelineBasic.fields, project_path: z.string() }).nullable()

function presentLinked(pipeline: PipelineWithPath | null, at: Presentation) {
  return pipeline && { ...PipelineBasic.present(pipeline, at), project_path: pipeline.path }
}

/** A job in the graph of a pipeline. */
const graphJob = z.strictObject({
  id: z.int(),
  kind: z.enum(['job', 'bridge', 'external']),
  name: z.string(),
  base: z.string(),
  stage: z.string(),
  status: z.string(),
  group: z.string(),
  label: z.string(),
  when: z.string(),
  allow_failure: z.boolean(),
  needs: z.array(z.string()).nullable(),
  failure_reason: z.string().nullable(),
  environment: z.string().nullable(),
  scheduled_at: time().nullable(),
  created_at: time(),
  queued_at: time().nullable(),
  started_at: time().nullable(),
  finished_at: time().nullable(),
  duration: z.number().nullable(),
  usually: z.number().nullable(),
  coverage: z.number().nullable(),
  retries: z.int(),
  playable: z.boolean(),
  retryable: z.boolean(),
  cancelable: z.boolean(),
  downstream: linkedPipeline,
  target_url: z.string().nullable(),
  description: z.string().nullable(),
})

function seconds(from: string | null, to: string): number | null {
  return from === null ? null : Math.max(0, (Date.parse(to) - Date.parse(from)) / 1000)
}

function needsOf(needs: string | null): string[] | null {
  return needs === null ? null : (JSON.parse(needs) as { name: string }[]).map((need) => need.name)
}

function presentGraphJob({ row, ...job }: GraphJob, at: Presentation) {
  const { group, label } = jobStatusTexts(row)
  return {
    id: row.id,
    kind: row.kind,
    name: row.name,
    base: row.base,
    stage: row.stage,
    status: row.status,
    group,
    label,
    when: row.when,
    allow_failure: row.allow_failure,
    needs: needsOf(row.needs),
    failure_reason: row.status === 'failed' ? row.failure_reason : null,
    environment: row.environment,
    scheduled_at: row.scheduled_at,
    created_at: row.created_at,
    queued_at: row.queued_at,
    started_at: row.started_at,
    finished_at: row.finished_at,
    duration: seconds(row.started_at, row.finished_at ?? at.now),
    usually: job.usually,
    coverage: row.coverage,
    retries: job.retries,
    playable: job.mayChangeJobs && isPlayable(row),
    retryable: job.mayChangeJobs && isRetryable(row),
    cancelable: job.mayChangeJobs && isCancelable(row),
    downstream: presentLinked(job.downstream, at),
    target_url: row.target_url,
    description: row.description,
  }
}

/** The graph of a pipeline in the window. */
const PipelineGraph = entity(
  'PipelineGraph',
  {
    pipeline: PipelineBasic.schema,
    upstream: linkedPipeline,
    stages: z.array(z.strictObject({ name: z.string(), status: z.string(), jobs: z.array(graphJob) })),
  },
  (graph: Graph, at) => ({
    pipeline: PipelineBasic.present(graph, at),
    upstream: presentLinked(graph.upstream, at),
    stages: graph.stages.map((stage) => ({
      ...stage,
      jobs: stage.jobs.map((job) => presentGraphJob(job, at)),
    })),
  }),
)

export const listOverview = endpoint('GET /-/projects/:id/pipelines', {
  summary: 'List project pipelines for the window',
  scope: project,
  can: abilities.read_pipelines,
  params: {
    status: text({ max: 30 }).optional().describe('Filter by status'),
    search: text({ max: 255 })
      .optional()
      .describe('Filter by part of the branch or tag name, or by the beginning of the commit SHA'),
    ref: text({ max: 255 }).optional().describe('Filter by branch, tag or merge request ref'),
    source: text({ max: 40 }).optional().describe('Filter by source'),
    username: text({ max: 255 }).optional().describe('Filter by the user who started the pipeline'),
  },
  returns: page(PipelineOverview),
  run: (ctx) => pipelineOverviews(ctx, ctx.project, ctx.params, ctx.paging),
})

export const chartPipelines = endpoint('GET /-/projects/:id/pipelines/charts', {
  summary: 'Count project pipelines by day or week',
  scope: project,
  can: abilities.read_pipelines,
  params: {
    days: int({ min: 1, max: 366 }).default(30).describe('Number of days up to today'),
    by: choice('day', 'week').default('day').describe('Count by day or by week'),
    ref: text({ max: 255 }).optional().describe('Filter by branch, tag or merge request ref'),
  },
  returns: page(PipelinesOfDay, { paging: 'none' }),
  run: (ctx) => countByPeriod(ctx, ctx.project, ctx.params),
})

export const listRunning = endpoint('GET /-/running_jobs', {
  summary: "List running jobs of the current user's projects",
  can: 'signed_in',
  returns: page(RunningJobItem, { paging: 'none' }),
  run: (ctx) => {
    const rows = runningJobs(ctx)
    return { rows, total: rows.length }
  },
})

export const listStates = endpoint('GET /-/pipeline_states', {
  summary: 'List the newest pipeline of commits and of default branches',
  can: 'anyone',
  params: {
    of: list(text({ max: 60 }), { max: 100 }).describe(
      'For a default branch the ID of the project, for a commit `<project ID>:<commit SHA>`',
    ),
  },
  returns: page(PipelineState, { paging: 'none' }),
  run: (ctx) => {
    const rows = pipelineStates(ctx, ctx.params.of)
    return { rows, total: rows.length }
  },
})

export const pipelineGraph = endpoint('GET /-/projects/:id/pipelines/:pipeline_id/graph', {
  summary: 'Get the job graph of a pipeline',
  scope: project,
  can: abilities.read_pipelines,
  params: { pipeline_id: int({ min: 1 }).describe('The ID of the pipeline') },
  returns: ok(PipelineGraph),
  run: ({ project: owner, params, ...ctx }) =>
    graphOf(ctx, owner, getPipeline(ctx, owner, params.pipeline_id)),
})
