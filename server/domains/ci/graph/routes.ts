import { endpoint } from '../../../http/endpoint.ts'
import { int } from '../../../http/params.ts'
import { ok } from '../../../http/returns.ts'
import { project } from '../../projects/index.ts'
import { getPipeline } from '../pipelines/service.ts'
import { abilities } from '../policy.ts'
import { PipelineGraph } from './entity.ts'
import { graphOf } from './service.ts'

export const pipelineGraph = endpoint('GET /-/projects/:id/pipelines/:pipeline_id/graph', {
  summary:
    'Get the jobs of a pipeline as the window draws them: by stage, with what they need and usually take',
  scope: project,
  can: abilities.read_pipelines,
  params: { pipeline_id: int({ min: 1 }).describe('Id of the pipeline') },
  returns: ok(PipelineGraph),
  run: ({ project: owner, params, ...ctx }) =>
    graphOf(ctx, owner, getPipeline(ctx, owner, params.pipeline_id)),
})
