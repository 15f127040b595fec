import type { Ctx } from '../../../ctx.ts'
import { fullPath, type Project } from '../../projects/index.ts'
import { moment, plain, texts, type Item } from './item.ts'
import { openRequestsOf } from './store.ts'
import type { VariableTarget } from './target.ts'

/** Written by whoever opened the merge request. */
const WRITTEN = new Set([
  'CI_MERGE_REQUEST_TITLE',
  'CI_MERGE_REQUEST_DESCRIPTION',
  'CI_MERGE_REQUEST_LABELS',
  'CI_MERGE_REQUEST_MILESTONE',
])

/** What tells a script why there is a pipeline; what is not known before it is made is left out until then. */
export function ofPipeline(ctx: Ctx, project: Project, target: VariableTarget): Item[] {
  const { pipeline, source } = target
  const open = requestsOf(ctx, project, target)
  return [
    ...plain({
      CI_PIPELINE_IID: pipeline?.iid,
      CI_PIPELINE_SOURCE: source,
      CI_PIPELINE_CREATED_AT: moment(pipeline?.created_at ?? ctx.now),
      CI_PIPELINE_TRIGGERED: source === 'trigger' ? 'true' : undefined,
    }),
    ...texts({ CI_PIPELINE_NAME: pipeline?.name }),
    ...plain({ CI_OPEN_MERGE_REQUESTS: open.length === 0 ? undefined : open.join(',') }),
  ]
}

/** The open merge requests of a branch, or the one that the pipeline is for. */
function requestsOf(ctx: Ctx, project: Project, target: VariableTarget): string[] {
  if (target.kind === 'tag') return []
  if (target.kind === 'branch') return openRequestsOf(ctx.db, project.id, target.ref)
  const told = new Map(target.merge_request?.predefined.map(({ key, value }) => [key, value]))
  const iid = told.get('CI_MERGE_REQUEST_IID')
  return iid === undefined ? [] : [`${told.get('CI_MERGE_REQUEST_PROJECT_PATH') ?? fullPath(project)}!${iid}`]
}

/** What the merge request of a pipeline is; told by those who know merge requests when the pipeline is made. */
export function ofMergeRequest({ merge_request }: VariableTarget): Item[] {
  return (merge_request?.predefined ?? []).flatMap(({ key, value }) =>
    (WRITTEN.has(key) ? texts : plain)({ [key]: value }),
  )
}
