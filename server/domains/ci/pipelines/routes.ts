import { endpoint } from '../../../http/endpoint.ts'
import { bool, choice, hash, int, list, text, timestamp } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import { project } from '../../projects/index.ts'
import { Bridge, Job } from '../jobs/entity.ts'
import { scopeParam } from '../jobs/routes.ts'
import { findBridgesOf, findJobsOf } from '../jobs/service.ts'
import { abilities } from '../policy.ts'
import { Pipeline, PipelineBasic, PipelineVariable } from './entity.ts'
import { ORDERS, SOURCES, STATUSES } from './store-list.ts'
import {
  findPipelines,
  getPipeline,
  latestPipeline,
  namePipeline,
  withPaths,
  showPipeline,
  variablesOfPipeline,
  cancel,
  deletePipeline,
  retry,
} from './service.ts'
import { startPipeline } from './creation/service.ts'

const pipeline_id = int({ min: 1 }).describe('The ID of the pipeline')
const ref = text({ max: 1100 }).optional()

export const listPipelines = endpoint('GET /projects/:id/pipelines', {
  summary: 'List project pipelines',
  scope: project,
  can: abilities.read_pipelines,
  jobToken: true,
  params: {
    scope: choice('running', 'pending', 'finished', 'branches', 'tags')
      .optional()
      .describe('Filter by state, or list the newest pipeline of each existing branch or tag'),
    status: choice(...STATUSES)
      .optional()
      .describe('Filter by status'),
    source: choice(...SOURCES)
      .optional()
      .describe('Filter by source. Child pipelines (`parent_pipeline`) are only listed with this filter'),
    ref: ref.describe('Filter by branch, tag or merge request ref'),
    sha: text({ max: 64 }).optional().describe('Filter by commit'),
    yaml_errors: bool().optional().describe('Filter by pipelines with or without an invalid configuration'),
    username: text({ max: 255 }).optional().describe('Filter by the user who started the pipeline'),
    name: text({ max: 255 }).optional().describe('Filter by name'),
    updated_after: timestamp().optional().describe('Return pipelines updated at or after this time'),
    updated_before: timestamp().optional().describe('Return pipelines updated at or before this time'),
    created_after: timestamp().optional().describe('Return pipelines created at or after this time'),
    created_before: timestamp().optional().describe('Return pipelines created at or before this time'),
  },
  returns: page(PipelineBasic, { order_by: ORDERS }),
  run: async ({ project: owner, params, paging, ...ctx }) => {
    const result = await findPipelines(ctx, owner, params, paging)
    return { ...result, rows: withPaths(owner, result.rows) }
  },
})

export const getLatestPipeline = endpoint('GET /projects/:id/pipelines/latest', {
  summary: 'Get the latest pipeline of a branch or tag',
  scope: project,
  can: abilities.read_pipelines,
  jobToken: true,
  params: { ref: ref.describe('The branch or tag. The default is the default branch') },
  fails: { 404: 'The branch or tag does not exist, or its commit has no pipeline' },
  returns: ok(Pipeline),
  run: async ({ project: owner, params, ...ctx }) =>
    showPipeline(ctx, owner, await latestPipeline(ctx, owner, params.ref)),
})

export const getOnePipeline = endpoint('GET /projects/:id/pipelines/:pipeline_id', {
  summary: 'Get a single pipeline',
  scope: project,
  can: abilities.read_pipelines,
  jobToken: true,
  params: { pipeline_id },
  returns: ok(Pipeline),
  run: ({ project: owner, params, ...ctx }) =>
    showPipeline(ctx, owner, getPipeline(ctx, owner, params.pipeline_id)),
})

export const listPipelineJobs = endpoint('GET /projects/:id/pipelines/:pipeline_id/jobs', {
  summary: 'List pipeline jobs',
  scope: project,
  can: abilities.read_jobs,
  jobToken: true,
  params: {
    pipeline_id,
    scope: scopeParam,
    include_retried: bool().default(false).describe('Include jobs that were retried'),
  },
  returns: page(Job),
  run: ({ project: owner, params, paging, ...ctx }) =>
    findJobsOf(ctx, owner, getPipeline(ctx, owner, params.pipeline_id), params, paging),
})

export const listPipelineBridges = endpoint('GET /projects/:id/pipelines/:pipeline_id/bridges', {
  summary: 'List pipeline trigger jobs',
  scope: project,
  can: abilities.read_jobs,
  jobToken: true,
  params: { pipeline_id, scope: scopeParam },
  returns: page(Bridge),
  run: ({ project: owner, params, paging, ...ctx }) =>
    findBridgesOf(ctx, owner, getPipeline(ctx, owner, params.pipeline_id), params.scope, paging),
})

export const listPipelineVariables = endpoint('GET /projects/:id/pipelines/:pipeline_id/variables', {
  summary: 'List pipeline variables',
  scope: project,
  can: abilities.change_jobs,
  params: { pipeline_id },
  fails: { 403: 'The caller is neither a maintainer nor the user who started the pipeline' },
  volatile: true,
  returns: page(PipelineVariable, { paging: 'none' }),
  run: ({ project: owner, params, ...ctx }) => ({
    rows: variablesOfPipeline(ctx, owner, getPipeline(ctx, owner, params.pipeline_id)),
  }),
})

export const cancelPipeline = endpoint('POST /projects/:id/pipelines/:pipeline_id/cancel', {
  summary: 'Cancel the jobs of a pipeline',
  scope: project,
  can: abilities.change_jobs,
  params: { pipeline_id },
  fails: { 403: 'The caller may not change pipelines of this protected branch or tag' },
  returns: ok(Pipeline),
  run: ({ project: owner, params, ...ctx }) =>
    showPipeline(ctx, owner, cancel(ctx, owner, getPipeline(ctx, owner, params.pipeline_id))),
})

export const retryPipeline = endpoint('POST /projects/:id/pipelines/:pipeline_id/retry', {
  summary: 'Retry the failed and canceled jobs of a pipeline',
  scope: project,
  can: abilities.change_jobs,
  params: { pipeline_id },
  fails: { 403: 'The caller may not change pipelines of this protected branch or tag' },
  returns: created(Pipeline),
  run: ({ project: owner, params, ...ctx }) =>
    showPipeline(ctx, owner, retry(ctx, owner, getPipeline(ctx, owner, params.pipeline_id))),
})

export const changePipelineMetadata = endpoint('PUT /projects/:id/pipelines/:pipeline_id/metadata', {
  summary: 'Update pipeline metadata',
  scope: project,
  can: abilities.change_jobs,
  params: {
    pipeline_id,
    name: text().describe('The new name, at most 255 characters. An empty value removes the name'),
  },
  fails: { 400: 'The name is too long' },
  returns: ok(Pipeline),
  run: ({ project: owner, params, ...ctx }) =>
    showPipeline(ctx, owner, namePipeline(ctx, getPipeline(ctx, owner, params.pipeline_id), params.name)),
})

export const removePipeline = endpoint('DELETE /projects/:id/pipelines/:pipeline_id', {
  summary: 'Delete a pipeline',
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
  key: text({ max: 1100 }).describe('The name: letters, digits and `_`, at most 255 characters'),
  value: text().describe('The value'),
  variable_type: choice('env_var', 'file')
    .default('env_var')
    .describe('With `file`, the job receives the path of a file with the value'),
})

export const createPipeline = endpoint('POST /projects/:id/pipeline', {
  summary: 'Create a pipeline',
  scope: project,
  can: abilities.create_pipeline,
  params: {
    ref: text({ max: 1100 }).describe('The branch or tag'),
    variables: list(variable, { max: 1000 }).default([]).describe('Variables with the highest precedence'),
  },
  fails: { 400: 'The ref does not exist, the configuration is invalid, or its rules create no pipeline' },
  returns: created(Pipeline),
  run: ({ project: owner, params, ...ctx }) => startPipeline(ctx, owner, params),
})
