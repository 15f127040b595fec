import type { Ctx } from '../../ctx.ts'
import { fail } from '../../lib/fail.ts'
import { canRead, isAble } from '../../policy/ability.ts'
import { projectAbilities, project as scope, type Project } from '../projects/index.ts'
import type { MergeRequestRow } from './merge-request.ts'
import { allows, protecting, protectionsOf, pusherOf } from '../repository/index.ts'

/** Whether the actor may merge into a branch of the project: they write code there, and no protection is in the way. */
export function mayMergeInto(ctx: Ctx, project: Project, branch: string): boolean {
  if (!isAble(ctx, scope, projectAbilities.read_code, project)) return false
  if (project.archived) return false
  const holding = protecting(protectionsOf(ctx.db, project.id), branch)
  const pusher = pusherOf(ctx, project)
  if (holding.length === 0) return isAble(ctx, scope, projectAbilities.push_code, project, true)
  return allows(holding, 'merge', pusher) || allows(holding, 'push', pusher)
}

/**
 * Whether the actor may push to the source branch of a merge request: they write code in its project, or its author lets
 * those do so who may merge it.
 */
export function mayPushToSource(
  ctx: Ctx,
  project: Project,
  source: Project,
  request: Pick<MergeRequestRow, 'source_branch' | 'target_branch' | 'allow_collaboration'>,
): boolean {
  if (source.archived) return false
  const holding = protecting(protectionsOf(ctx.db, source.id), request.source_branch)
  if (holding.length > 0) return allows(holding, 'push', pusherOf(ctx, source))
  if (isAble(ctx, scope, projectAbilities.push_code, source, true)) return true
  return collaborates(ctx, { project, source, request })
}

/** Whether a fork is open to the actor by `allow_collaboration`: they read it, and may merge what comes from it. */
export function collaborates(
  ctx: Ctx,
  from: {
    readonly project: Project
    readonly source: Project
    readonly request: Pick<MergeRequestRow, 'target_branch' | 'allow_collaboration'>
  },
): boolean {
  const { project, source, request } = from
  if (!request.allow_collaboration || !canRead(ctx, scope, source)) return false
  if (!isAble(ctx, scope, projectAbilities.read_code, source)) return false
  return mayMergeInto(ctx, project, request.target_branch)
}

/** Throws 403 for whoever may not read the code: they see none of it in a merge request either. */
export function mustReadCode(ctx: Ctx, project: Project): void {
  if (!isAble(ctx, scope, projectAbilities.read_code, project)) throw fail('forbidden')
}
