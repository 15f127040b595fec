import type { Ctx } from '../../../ctx.ts'
import type { Project } from '../../projects/index.ts'
import { admits, protecting, pusherOf, tagProtectionsOf } from '../../repository/index.ts'

/** Whether the actor may make the tag: so protected tags protect their releases too (spec administration 4.1). */
export function mayUseTag(ctx: Ctx, project: Project, tag: string): boolean {
  const holding = protecting(tagProtectionsOf(ctx.db, project.id), tag)
  if (holding.length === 0 || ctx.actor.kind === 'system') return true
  const pusher = pusherOf(ctx, project)
  return holding.some((one) => one.levels.some((level) => admits(level, pusher)))
}
