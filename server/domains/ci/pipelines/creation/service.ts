import type { Ctx } from '../../../../ctx.ts'
import type { Project } from '../../../projects/index.ts'
import type { PipelineView } from '../entity.ts'
import { showPipeline } from '../view.ts'
import { createPipeline } from './create.ts'
import { checkGivenVariables } from './given-variables.ts'
import type { GivenVariable } from './order.ts'

/** A pipeline that somebody asks for: in the window (`web`), or with a token (`api`). */
export async function startPipeline(
  ctx: Ctx,
  project: Project,
  given: { readonly ref: string; readonly variables: readonly GivenVariable[] },
): Promise<PipelineView> {
  checkGivenVariables(given.variables)
  const isWindow = ctx.actor.kind === 'user' && ctx.actor.via === 'session'
  const row = await createPipeline(ctx, project, { source: isWindow ? 'web' : 'api', ...given })
  return showPipeline(ctx, project, row)
}
