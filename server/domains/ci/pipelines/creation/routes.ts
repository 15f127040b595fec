import { endpoint } from '../../../../http/endpoint.ts'
import { choice, hash, list, text } from '../../../../http/params.ts'
import { created } from '../../../../http/returns.ts'
import { project } from '../../../projects/index.ts'
import { abilities } from '../../policy.ts'
import { Pipeline } from '../entity.ts'
import { startPipeline } from './service.ts'

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
