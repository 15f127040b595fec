import type { Ctx } from '../../../ctx.ts'
import { canRead, hasAbility } from '../../../policy/ability.ts'
import { seesAll } from '../../../policy/actor.ts'
import { REPORTER } from '../../../policy/levels.ts'
import { project as scope, projectAbilities, type Project } from '../../projects/index.ts'
import { tablesOf, type IssuableName } from './issuable.ts'
import { assigneeIdsOf } from './store.ts'

/** Whether the actor may read issuables of this kind in a project. */
export function mayReadIn(ctx: Ctx, project: Project, kind: IssuableName): boolean {
  const { read_issues, read_merge_requests } = projectAbilities
  return (
    canRead(ctx, scope, project) &&
    hasAbility(ctx, scope, kind === 'Issue' ? read_issues : read_merge_requests, project)
  )
}

interface ReadableRecord {
  readonly kind: IssuableName
  readonly id: number
  readonly author_id: number
  readonly confidential?: boolean
}

/**
 * Whether the actor may read an issue or merge request. Confidential issues are visible to their author, their assignees
 * and reporters of the project.
 */
export function mayRead(ctx: Ctx, project: Project, record: ReadableRecord): boolean {
  return mayReadIn(ctx, project, record.kind) && maySeeConfidential(ctx, project, record)
}

/** Whether an actor who may read the issues of the project may also read this one, if it is confidential. */
export function maySeeConfidential(ctx: Ctx, project: Project, record: ReadableRecord): boolean {
  if (!record.confidential || seesAll(ctx.actor)) return true
  if (ctx.actor.kind !== 'user') return false
  if (record.author_id === ctx.actor.id || scope.roleOf(ctx, project) >= REPORTER) return true
  return assigneeIdsOf(ctx.db, record.kind, record.id).includes(ctx.actor.id)
}

/**
 * Whether the actor may read the issue or merge request with this ID. If it was confidential and is deleted, only
 * reporters may.
 */
export function mayReadId(
  ctx: Ctx,
  project: Project,
  issuable: { readonly kind: IssuableName; readonly id: number; readonly wasConfidential: boolean },
): boolean {
  const { kind, id, wasConfidential: wasSecret } = issuable
  const confidential = kind === 'Issue' ? 'confidential' : 'NULL AS confidential'
  const row = ctx.db.one<Pick<ReadableRecord, 'author_id' | 'confidential'>>(
    `SELECT author_id, ${confidential} FROM ${tablesOf(kind).table} WHERE id = ?`,
    id,
  )
  const deletedRecord = { author_id: 0, confidential: wasSecret }
  return mayRead(ctx, project, { kind, id, ...(row ?? deletedRecord) })
}
