import { z } from 'zod'

import { entity } from '../../../http/entity.ts'
import { PipelineBasic } from '../pipelines/entity.ts'
import { graphJob, linked, showGraphJob, showLinked } from './fields.ts'
import type { PipelineGraph as Graph } from './service.ts'

/** What the window draws of a pipeline. */
export const PipelineGraph = entity(
  'PipelineGraph',
  {
    pipeline: PipelineBasic.schema,
    upstream: linked,
    stages: z.array(z.strictObject({ name: z.string(), status: z.string(), jobs: z.array(graphJob) })),
  },
  (graph: Graph, at) => ({
    pipeline: PipelineBasic.present(graph, at),
    upstream: showLinked(graph.upstream, at),
    stages: graph.stages.map((stage) => ({ ...stage, jobs: stage.jobs.map((one) => showGraphJob(one, at)) })),
  }),
)
