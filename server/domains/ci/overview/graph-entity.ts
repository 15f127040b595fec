import { z } from 'zod'

import { entity, type Presentation, time } from '../../../http/entity.ts'
import { PipelineBasic, type PipelineWithPath } from '../pipelines/entity.ts'
import type { PipelineGraph as Graph, GraphJob } from './graph.ts'
import { wordsOfJob } from '../pipelines/detailed-status.ts'
import { isPlayable, isRetryable, isCancelable } from '../processing/status.ts'

/** A pipeline of this or another project. */
const linked = z.strictObject({ ...PipelineBasic.fields, project_path: z.string() }).nullable()

/** A pipeline with the path of its project. */
function showLinked(pipeline: PipelineWithPath | null, at: Presentation) {
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
  downstream: linked,
  target_url: z.string().nullable(),
  description: z.string().nullable(),
})

function seconds(from: string | null, to: string): number | null {
  return from === null ? null : Math.max(0, (Date.parse(to) - Date.parse(from)) / 1000)
}

function needsOf(needs: string | null): string[] | null {
  return needs === null ? null : (JSON.parse(needs) as { name: string }[]).map((need) => need.name)
}

/** One job as the graph shows it. */
function showGraphJob({ row, ...more }: GraphJob, at: Presentation) {
  const { group, label } = wordsOfJob(row)
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
    usually: more.usually,
    coverage: row.coverage,
    retries: more.retries,
    playable: more.isTheirs && isPlayable(row),
    retryable: more.isTheirs && isRetryable(row),
    cancelable: more.isTheirs && isCancelable(row),
    downstream: showLinked(more.downstream, at),
    target_url: row.target_url,
    description: row.description,
  }
}

/** The graph of a pipeline in the window. */
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
