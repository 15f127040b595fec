import type { Ctx } from '../../../ctx.ts'
import type { Project } from '../../projects/index.ts'
import type { Variable } from '../config/variables.ts'
import type { Item } from './item.ts'
import { legacyOf } from './legacy.ts'
import { ofCommit } from './of-commit.ts'
import { ofMergeRequest, ofPipeline } from './of-pipeline.ts'
import { ofProject } from './of-project.ts'
import { ofServer } from './of-server.ts'
import { ofUser } from './of-user.ts'
import type { VariableTarget } from './target.ts'

/**
 * What the instance gives before there are jobs, for includes and rules (spec ci 2.13, phases A and B). Without a target,
 * what holds for all pipelines of the project.
 */
export async function predefinedForPipeline(
  ctx: Ctx,
  project: Project,
  target: VariableTarget | null,
): Promise<Variable[]> {
  const items = [
    ...ofServer(ctx),
    ...ofProject(ctx, project),
    ...(target ? [...(await ofTarget(ctx, project, target)), ...ofUser(target.user)] : []),
  ]
  return [...items, ...legacyOf(items)].map(({ key, value }) => ({ key, value }))
}

/** What a pipeline's target gives to it. */
export async function ofTarget(ctx: Ctx, project: Project, target: VariableTarget): Promise<Item[]> {
  return [
    ...ofPipeline(ctx, project, target),
    ...(await ofCommit(ctx, project, target)),
    ...ofMergeRequest(target),
  ]
}
