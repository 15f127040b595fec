import type { Ctx } from '../../ctx.ts'
import { MAINTAINER, OWNER, VISIBILITY_RANK, type Visibility } from '../../policy/levels.ts'
import { roleOnNamespace } from '../members/index.ts'
import { nameProblem, namespaceByPath, pathProblem } from '../namespaces/index.ts'
import { projectByPath, visibilitiesIn } from '../projects/index.ts'
import { settingsOf } from '../settings/index.ts'
import { userById } from '../users/index.ts'
import type { Group } from './types.ts'
import * as store from './store.ts'

const NAME_RULE =
  "can contain only letters, digits, emojis, '_', '.', dash, space, parenthesis. It must start with letter, digit, emoji or '_'."
const TAKEN = 'has already been taken'

/** The maximum number of ancestors of a group. */
export const MAX_ANCESTORS = 20

/** Error messages by field. Empty for valid values. */
export type Problems = Record<string, string[]>

/** The wanted columns of a group. `id` is set for an existing one. */
export interface Wanted {
  readonly id?: number | undefined
  readonly name: string
  readonly path: string
  readonly description?: string | null | undefined
  readonly visibility: Visibility
}

/** Returns all problems of the wanted columns. Call it in the transaction. */
export function problemsOf(ctx: Ctx, wanted: Wanted, parent: Group | undefined): Problems {
  const problems: Problems = {}
  const add = (field: string, text: string | undefined): void => {
    if (text) (problems[field] ??= []).push(text)
  }
  add(
    'name',
    nameProblem(wanted.name, NAME_RULE) ??
      (parent && store.nameTaken(ctx.db, parent.id, wanted.name, wanted.id) ? TAKEN : undefined),
  )
  add(
    'path',
    pathProblem(wanted.path, parent ? 'below' : 'top') ?? (isTaken(ctx, wanted, parent) ? TAKEN : undefined),
  )
  if (wanted.description && wanted.description.length > 500)
    add('description', 'is too long (maximum is 500 characters)')
  add('visibility_level', visibilityProblem(ctx, wanted, parent))
  if (wanted.id === undefined && parent && depthOf(parent) > MAX_ANCESTORS)
    add('parent_id', 'has too deep level of nesting')
  return problems
}

/** Returns the number of levels of a lineage: 1 for a top-level group. */
export function depthOf(group: Pick<Group, 'lineage'>): number {
  return (JSON.parse(group.lineage) as number[]).length
}

/** Only one user, group or project can have a full path. */
export function isTaken(
  ctx: Ctx,
  wanted: Pick<Wanted, 'id' | 'path'>,
  parent: Pick<Group, 'full_path'> | undefined,
): boolean {
  const fullPath = parent ? `${parent.full_path}/${wanted.path}` : wanted.path
  const namespace = namespaceByPath(ctx.db, fullPath)
  return (
    (namespace !== undefined && namespace.id !== wanted.id) || projectByPath(ctx.db, fullPath) !== undefined
  )
}

function visibilityProblem(ctx: Ctx, wanted: Wanted, parent: Group | undefined): string | undefined {
  const { visibility } = wanted
  const rank = VISIBILITY_RANK[visibility]
  const isWider = (one: string): boolean => VISIBILITY_RANK[one as Visibility] > rank
  if (parent && rank > VISIBILITY_RANK[parent.visibility]) {
    return `${visibility} is not allowed since the parent group has a ${parent.visibility} visibility.`
  }
  if (wanted.id !== undefined && visibilitiesIn(ctx, [wanted.id]).some(isWider)) {
    return `${visibility} is not allowed since this group contains projects with higher visibility.`
  }
  if (wanted.id !== undefined && store.visibilitiesBelow(ctx.db, wanted.id).some(isWider)) {
    return `${visibility} is not allowed since there are sub-groups with higher visibility.`
  }
  return undefined
}

/** Whether the settings reserve a visibility for administrators. */
export function isRestricted(ctx: Ctx, visibility: Visibility): boolean {
  return !ctx.actor.is_admin && settingsOf(ctx).restricted_visibility_levels.includes(visibility)
}

/**
 * Returns the default visibility of the instance, or the widest narrower one that the parent and the settings allow.
 */
export function defaultVisibility(ctx: Ctx, parent: Group | undefined): Visibility {
  const order: readonly Visibility[] = ['public', 'internal', 'private']
  const candidates = order.slice(order.indexOf(settingsOf(ctx).default_group_visibility))
  const limit = parent ? VISIBILITY_RANK[parent.visibility] : Infinity
  return (
    candidates.find((candidate) => VISIBILITY_RANK[candidate] <= limit && !isRestricted(ctx, candidate)) ??
    'private'
  )
}

/** Whether the actor may create a group below the parent, or at the top level. */
export function mayCreate(ctx: Ctx, parent: Group | undefined): boolean {
  const { actor } = ctx
  if (actor.is_admin) return true
  if (!parent) return actor.kind === 'user' && userById(ctx.db, actor.id)?.can_create_group === true
  return roleOnNamespace(ctx, parent) >= (parent.subgroup_creation_level === 'owner' ? OWNER : MAINTAINER)
}

/** Whether the actor is an owner of the group or an administrator. */
export function manages(ctx: Ctx, group: Group): boolean {
  return ctx.actor.is_admin || roleOnNamespace(ctx, group) >= OWNER
}
