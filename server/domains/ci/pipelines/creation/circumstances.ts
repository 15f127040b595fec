import type { Ctx } from '../../../../ctx.ts'
import type { Project } from '../../../projects/index.ts'
import type { Variable } from '../../config/variables.ts'
import { variablesForRules } from '../../job_variables/for-rules.ts'
import { predefinedForPipeline } from '../../job_variables/predefined.ts'
import { variablesFor } from '../../variables/precedence.ts'
import type { PipelineOrder } from './order.ts'
import type { PipelineTarget } from './target.ts'

/** What of an order the choice of jobs depends on. */
export type OrderedPart = Pick<PipelineOrder, 'source' | 'before_sha' | 'variables' | 'merge_request'>

/** What rules and includes of a pipeline are told before it is there. */
export interface Circumstances {
  readonly order: OrderedPart
  readonly target: PipelineTarget
  /** Given by the instance. */
  readonly predefined: readonly Variable[]
  /** Set by the instance, groups, project and whoever starts the pipeline; later ones win. */
  readonly stored: readonly Variable[]
  /** Values that errors must not show. */
  readonly masked: readonly string[]
}

/** The circumstances of an order for a target, in the name of the actor. */
export async function circumstancesOf(
  ctx: Ctx,
  project: Project,
  order: OrderedPart,
  target: PipelineTarget,
): Promise<Circumstances> {
  const { source, before_sha, merge_request, variables } = order
  const predefined = await predefinedForPipeline(ctx, project, {
    ...target,
    source,
    before_sha: before_sha ?? undefined,
    merge_request,
    user: ctx.actor.kind === 'user' ? ctx.actor : null,
  })
  const use = { isProtected: target.isProtected }
  return {
    order,
    target,
    predefined,
    stored: variablesForRules(ctx, project, { ...use, pipelineVariables: variables }),
    masked: variablesFor(ctx, project, use).flatMap(({ isMasked, value }) => (isMasked ? value : [])),
  }
}
