import type { Ctx } from '../../ctx.ts'
import { canRead, isAble } from '../../policy/ability.ts'
import { seesAll } from '../../policy/actor.ts'
import { REPORTER } from '../../policy/levels.ts'
import { project as scope, projectAbilities, type Project } from '../projects/index.ts'
import type { IssuableName } from './issuable.ts'
import { assigneeIdsOf } from './reads.ts'

/** Whether the actor may read things of that kind in a project at all. */
export function mayReadIn(ctx: Ctx, project: Project, kind: IssuableName): boolean {
  const { read_issues, read_merge_requests } = projectAbilities
  return (
    canRead(ctx, scope, project) &&
    isAble(ctx, scope, kind === 'Issue' ? read_issues : read_merge_requests, project)
  )
}

interface Secret {
  readonly kind: IssuableName
  readonly id: number
  readonly author_id: number
  readonly confidential?: number
}

/** Whether the actor may read this one: confidential issues are for their author, assignees and reporters. */
export function mayRead(ctx: Ctx, project: Project, one: Secret): boolean {
  return mayReadIn(ctx, project, one.kind) && maySeeSecret(ctx, project, one)
}

/** The same for who may read issues there anyway. */
export function maySeeSecret(ctx: Ctx, project: Project, one: Secret): boolean {
  if (!one.confidential || seesAll(ctx.actor)) return true
  if (ctx.actor.kind !== 'user') return false
  if (one.author_id === ctx.actor.id || scope.roleOf(ctx, project) >= REPORTER) return true
  return assigneeIdsOf(ctx.db, one.kind, one.id).includes(ctx.actor.id)
}
