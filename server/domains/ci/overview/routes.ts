import { endpoint } from '../../../http/endpoint.ts'
import { choice, int, list, text } from '../../../http/params.ts'
import { ok, page } from '../../../http/returns.ts'
import { project } from '../../projects/index.ts'
import { getPipeline } from '../pipelines/service.ts'
import { abilities } from '../policy.ts'
import { PipelineOverview, PipelinesOfDay, PipelineState, RunningJobLine } from './entity.ts'
import { graphOf } from './graph.ts'
import { PipelineGraph } from './graph-entity.ts'
import { chart, overview, pipelineStates, runningJobs } from './service.ts'

export const listOverview = endpoint('GET /-/projects/:id/pipelines', {
  summary: 'List project pipelines for the window',
  scope: project,
  can: abilities.read_pipelines,
  params: {
    status: text({ max: 30 }).optional().describe('Filter by status'),
    search: text({ max: 255 })
      .optional()
      .describe('Part of a branch or tag name, or the beginning of a commit ID'),
    ref: text({ max: 255 }).optional().describe('Filter by branch, tag or merge request ref'),
    source: text({ max: 40 }).optional().describe('Filter by source'),
    username: text({ max: 255 }).optional().describe('Filter by the user who started the pipeline'),
  },
  returns: page(PipelineOverview),
  run: (ctx) => overview(ctx, ctx.project, ctx.params, ctx.paging),
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
  run: (ctx) => chart(ctx, ctx.project, ctx.params),
})

export const listRunning = endpoint('GET /-/running_jobs', {
  summary: 'List running jobs of the projects of the current user',
  can: 'signed_in',
  returns: page(RunningJobLine, { paging: 'none' }),
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
      'The ID of a project, for its default branch; with a colon and a commit ID, for this commit',
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
