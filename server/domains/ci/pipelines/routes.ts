import { endpoint } from '../../../http/endpoint.ts'
import { bool, choice, hash, int, list, text, timestamp } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import { project } from '../../projects/index.ts'
import { Bridge, Job } from '../jobs/entity.ts'
import { scopeParam } from '../jobs/params.ts'
import { findBridgesOf, findJobsOf } from '../jobs/service.ts'
import { abilities } from '../policy.ts'
import { cancel, deletePipeline, retry } from './actions.ts'
import { Pipeline, PipelineBasic, PipelineVariable } from './entity.ts'
import { ORDERS, SOURCES, STATUSES } from './store-list.ts'
import {
  findPipelines,
  getPipeline,
  latestPipeline,
  namePipeline,
  placePipelines,
  showPipeline,
  variablesOfPipeline,
} from './service.ts'
import { startPipeline } from './creation/service.ts'

const pipeline_id = int({ min: 1 }).describe('Id of the pipeline')
const ref = text({ max: 1100 }).optional()

export const listPipelines = endpoint('GET /projects/:id/pipelines', {
  summary: 'List the pipelines of a project',
  scope: project,
  can: abilities.read_pipelines,
  jobToken: true,
  params: {
    scope: choice('running', 'pending', 'finished', 'branches', 'tags')
      .optional()
      .describe('In this state, or the newest of each branch or tag that is still there'),
    status: choice(...STATUSES)
      .optional()
      .describe('Only those with this status'),
    source: choice(...SOURCES)
      .optional()
      .describe('Only those started this way; `parent_pipeline` are otherwise left out'),
    ref: ref.describe('Only of this branch, tag or merge request ref'),
    sha: text({ max: 64 }).optional().describe('Only of this commit'),
    yaml_errors: bool().optional().describe('Only those with, or without, a wrong configuration'),
    username: text({ max: 255 }).optional().describe('Only those started by this user'),
    name: text({ max: 255 }).optional().describe('Only those with this name'),
    updated_after: timestamp().optional().describe('Changed at this moment or later'),
    updated_before: timestamp().optional().describe('Changed at this moment or earlier'),
    created_after: timestamp().optional().describe('Made at this moment or later'),
    created_before: timestamp().optional().describe('Made at this moment or earlier'),
  },
  returns: page(PipelineBasic, { order_by: ORDERS }),
  run: async ({ project: owner, params, paging, ...ctx }) => {
    const found = await findPipelines(ctx, owner, params, paging)
    return { ...found, rows: placePipelines(owner, found.rows) }
  },
})

export const getLatestPipeline = endpoint('GET /projects/:id/pipelines/latest', {
  summary: 'Get the newest pipeline of the commit that a branch or tag is at',
  scope: project,
  can: abilities.read_pipelines,
  jobToken: true,
  params: { ref: ref.describe('Branch or tag; the default branch otherwise') },
  fails: { 404: 'There is no such branch or tag, or its commit has no pipeline' },
  returns: ok(Pipeline),
  run: async ({ project: owner, params, ...ctx }) =>
    showPipeline(ctx, owner, await latestPipeline(ctx, owner, params.ref)),
})

export const getOnePipeline = endpoint('GET /projects/:id/pipelines/:pipeline_id', {
  summary: 'Get a pipeline',
  scope: project,
  can: abilities.read_pipelines,
  jobToken: true,
  params: { pipeline_id },
  returns: ok(Pipeline),
  run: ({ project: owner, params, ...ctx }) =>
    showPipeline(ctx, owner, getPipeline(ctx, owner, params.pipeline_id)),
})

export const listPipelineJobs = endpoint('GET /projects/:id/pipelines/:pipeline_id/jobs', {
  summary: 'List the jobs of a pipeline',
  scope: project,
  can: abilities.read_jobs,
  jobToken: true,
  params: {
    pipeline_id,
    scope: scopeParam,
    include_retried: bool().default(false).describe('With jobs that a newer copy took the place of'),
  },
  returns: page(Job),
  run: ({ project: owner, params, paging, ...ctx }) =>
    findJobsOf(ctx, owner, getPipeline(ctx, owner, params.pipeline_id), params, paging),
})

export const listPipelineBridges = endpoint('GET /projects/:id/pipelines/:pipeline_id/bridges', {
  summary: 'List the trigger jobs of a pipeline',
  scope: project,
  can: abilities.read_jobs,
  jobToken: true,
  params: { pipeline_id, scope: scopeParam },
  returns: page(Bridge),
  run: ({ project: owner, params, paging, ...ctx }) =>
    findBridgesOf(ctx, owner, getPipeline(ctx, owner, params.pipeline_id), params.scope, paging),
})

export const listPipelineVariables = endpoint('GET /projects/:id/pipelines/:pipeline_id/variables', {
  summary: 'List the variables that a pipeline was started with',
  scope: project,
  can: abilities.change_jobs,
  params: { pipeline_id },
  fails: { 403: 'For maintainers, and whoever started the pipeline' },
  volatile: true,
  returns: page(PipelineVariable, { paging: 'none' }),
  run: ({ project: owner, params, ...ctx }) => ({
    rows: variablesOfPipeline(ctx, owner, getPipeline(ctx, owner, params.pipeline_id)),
  }),
})

export const cancelPipeline = endpoint('POST /projects/:id/pipelines/:pipeline_id/cancel', {
  summary: 'Cancel the jobs of a pipeline that are not over',
  scope: project,
  can: abilities.change_jobs,
  params: { pipeline_id },
  fails: { 403: 'The branch or tag is protected from the caller' },
  returns: ok(Pipeline),
  run: ({ project: owner, params, ...ctx }) =>
    showPipeline(ctx, owner, cancel(ctx, owner, getPipeline(ctx, owner, params.pipeline_id))),
})

export const retryPipeline = endpoint('POST /projects/:id/pipelines/:pipeline_id/retry', {
  summary: 'Run the failed and canceled jobs of a pipeline again',
  scope: project,
  can: abilities.change_jobs,
  params: { pipeline_id },
  fails: { 403: 'The branch or tag is protected from the caller' },
  returns: created(Pipeline),
  run: ({ project: owner, params, ...ctx }) =>
    showPipeline(ctx, owner, retry(ctx, owner, getPipeline(ctx, owner, params.pipeline_id))),
})

export const changePipelineMetadata = endpoint('PUT /projects/:id/pipelines/:pipeline_id/metadata', {
  summary: 'Give a pipeline a name',
  scope: project,
  can: abilities.change_jobs,
  params: { pipeline_id, name: text().describe('The name, at most 255 characters; empty for none') },
  fails: { 400: 'The name is too long' },
  returns: ok(Pipeline),
  run: ({ project: owner, params, ...ctx }) =>
    showPipeline(ctx, owner, namePipeline(ctx, getPipeline(ctx, owner, params.pipeline_id), params.name)),
})

export const removePipeline = endpoint('DELETE /projects/:id/pipelines/:pipeline_id', {
  summary: 'Delete a pipeline with its jobs, logs and files',
  scope: project,
  can: abilities.destroy_pipeline,
  params: { pipeline_id },
  returns: noContent,
  run: ({ project: owner, params, http, ...ctx }) => {
    const row = getPipeline(ctx, owner, params.pipeline_id)
    http.unmodifiedSince(row.updated_at)
    deletePipeline(ctx, row)
  },
})

const variable = hash({
  key: text({ max: 1100 }).describe('Letters, digits and `_`, at most 255'),
  value: text().describe('Its value'),
  variable_type: choice('env_var', 'file')
    .default('env_var')
    .describe('`file`: the value comes as the path of a file'),
})

export const createPipeline = endpoint('POST /projects/:id/pipeline', {
  summary: 'Start a pipeline for a branch or tag',
  scope: project,
  can: abilities.create_pipeline,
  params: {
    ref: text({ max: 1100 }).describe('Branch or tag'),
    variables: list(variable, { max: 1000 }).default([]).describe('Variables, above all that are set'),
  },
  fails: { 400: 'There is no such ref, the configuration is broken, or its rules want no pipeline' },
  returns: created(Pipeline),
  run: ({ project: owner, params, ...ctx }) => startPipeline(ctx, owner, params),
})
