import type { Ctx } from '../../ctx.ts'
import { isAble } from '../../policy/ability.ts'
import { projectAbilities, project as scope, type Project } from '../projects/index.ts'
import { allows, protecting, protectionsOf, pusherOf } from '../repository/index.ts'

/** Whether the actor may merge into a branch of the project: they write code there, and no protection is in the way. */
export function mayMergeInto(ctx: Ctx, project: Project, branch: string): boolean {
  if (!isAble(ctx, scope, projectAbilities.read_code, project)) return false
  if (project.archived === 1) return false
  const holding = protecting(protectionsOf(ctx.db, project.id), branch)
  const pusher = pusherOf(ctx, project)
  if (holding.length === 0) return isAble(ctx, scope, projectAbilities.push_code, project, true)
  return allows(holding, 'merge', pusher) || allows(holding, 'push', pusher)
}
