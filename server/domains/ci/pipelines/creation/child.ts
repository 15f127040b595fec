import type { Ctx } from '../../../../ctx.ts'
import type { PipelineRow } from '../store.ts'
import { pathsBetween } from './changes.ts'
import type { Bridge } from './forwarded.ts'
import type { MergeRequestOfOrder, PipelineOrder } from './order.ts'
import { repoOf } from '../../../projects/index.ts'

type Include = Readonly<Record<string, unknown>>

/** What a child pipeline is ordered with: the commit of the pipeline above, and files in place of the project's own. */
export function childOrder(
  ctx: Ctx,
  { project, pipeline }: Bridge,
  include: readonly Include[],
  expand: (text: string) => string,
): PipelineOrder {
  const merge_request = requestOf(ctx, project, pipeline)
  return {
    source: 'parent_pipeline',
    ref: fullRef(pipeline),
    sha: pipeline.sha,
    before_sha: pipeline.before_sha,
    // JSON is YAML.
    config: JSON.stringify({ include: include.map((one) => expanded(one, expand)) }),
    ...(merge_request ? { merge_request } : {}),
  }
}

/** The ref of a pipeline in full, which no branch and tag share. */
function fullRef({ ref, tag }: Pick<PipelineRow, 'ref' | 'tag'>): string {
  if (ref.startsWith('refs/')) return ref
  return tag === 1 ? `refs/tags/${ref}` : `refs/heads/${ref}`
}

function expanded(include: Include, expand: (text: string) => string): Include {
  const entries = Object.entries(include).map(([key, value]) => {
    if (key === 'rules') return [key, value]
    if (Array.isArray(value)) return [key, value.map((one) => (typeof one === 'string' ? expand(one) : one))]
    return [key, typeof value === 'string' ? expand(value) : value]
  })
  return Object.fromEntries(entries) as Include
}

/** The merge request of the pipeline above, as far as that one was told of it. */
function requestOf(
  ctx: Ctx,
  project: Bridge['project'],
  pipeline: PipelineRow,
): MergeRequestOfOrder | undefined {
  if (pipeline.merge_request_id === null) return undefined
  const predefined = JSON.parse(pipeline.predefined) as { key: string; value: string }[]
  const valueOf = (name: string) =>
    predefined.find(({ key }) => key === `CI_MERGE_REQUEST_${name}`)?.value ?? ''
  const base = valueOf('DIFF_BASE_SHA')
  return {
    id: pipeline.merge_request_id,
    iid: Number(valueOf('IID')),
    predefined,
    changes: base === '' ? null : () => pathsBetween(repoOf(ctx, project), base, pipeline.sha),
    source_project_id: Number(valueOf('SOURCE_PROJECT_ID')) || project.id,
  }
}
