import type { Ctx } from '../../../ctx.ts'
import { canRead, isAble } from '../../../policy/ability.ts'
import { seesAll } from '../../../policy/actor.ts'
import { REPORTER } from '../../../policy/levels.ts'
import { project as scope, projectAbilities, type Project } from '../../projects/index.ts'
import { tablesOf, type IssuableName } from './issuable.ts'
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
  readonly confidential?: boolean
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

/**
 * Whether the actor may read the one of that id. Of one that is gone nothing is known any more but whether it was secret,
 * which then is for reporters only.
 */
export function mayReadId(
  ctx: Ctx,
  project: Project,
  one: { readonly kind: IssuableName; readonly id: number; readonly wasSecret: boolean },
): boolean {
  const { kind, id, wasSecret } = one
  const secret = kind === 'Issue' ? 'confidential' : 'NULL AS confidential'
  const row = ctx.db.one<Pick<Secret, 'author_id' | 'confidential'>>(
    `SELECT author_id, ${secret} FROM ${tablesOf(kind).table} WHERE id = ?`,
    id,
  )
  const gone = { author_id: 0, confidential: wasSecret }
  return mayRead(ctx, project, { kind, id, ...(row ?? gone) })
}
