import type { Ctx } from '../../../../ctx.ts'
import { isAble } from '../../../../policy/ability.ts'
import { project as scope, type Project } from '../../../projects/index.ts'
import type { Variable } from '../../../ci_config/index.ts'
import { variablesForRules } from '../../job_variables/for-rules.ts'
import { predefinedForPipeline } from '../../job_variables/predefined.ts'
import { abilities } from '../../policy.ts'
import { variablesFor } from '../../variables/precedence.ts'
import type { PipelineOrder } from './order.ts'
import type { PipelineTarget } from './target.ts'

/** What of an order the choice of jobs depends on. */
export type OrderedPart = Pick<
  PipelineOrder,
  'source' | 'before_sha' | 'variables' | 'merge_request' | 'only_job'
>

/** What includes are told before there is a pipeline. */
export interface Known {
  /** Given by the instance. */
  readonly predefined: readonly Variable[]
  /** Set by the instance, groups, project and whoever starts the pipeline; later ones win. */
  readonly stored: readonly Variable[]
  /** Values that errors must not show. */
  readonly masked: readonly string[]
}

/** What rules of a pipeline are told before it is there. */
export interface Circumstances extends Known {
  readonly order: OrderedPart
  readonly target: PipelineTarget
}

/**
 * What is known of an order for a target, in the name of the actor; less where there is no target. What others have set
 * stays out of it for those who may not make pipelines: conditions and names of files would tell it to them.
 */
export async function knownFor(
  ctx: Ctx,
  project: Project,
  order: OrderedPart,
  target: PipelineTarget | null,
): Promise<Known> {
  const { source, before_sha, merge_request, variables } = order
  const user = ctx.actor.kind === 'user' ? ctx.actor : null
  const told = { source, before_sha: before_sha ?? undefined, merge_request, user }
  const given = await predefinedForPipeline(ctx, project, target && { ...target, ...told })
  const predefined = target ? given : [...given, { key: 'CI_PIPELINE_SOURCE', value: source }]
  if (!isAble(ctx, scope, abilities.create_pipeline, project)) return { predefined, stored: [], masked: [] }
  const use = { isProtected: target?.isProtected ?? false }
  return {
    predefined,
    stored: variablesForRules(ctx, project, { ...use, pipelineVariables: variables }),
    masked: variablesFor(ctx, project, use).flatMap(({ isMasked, value }) => (isMasked ? value : [])),
  }
}
