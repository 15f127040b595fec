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

/** Error messages by field; empty for valid values. */
export type Problems = Record<string, string[]>

/** The columns of a new or existing group to check. A new group has no `id`. */
export interface GroupInput {
  readonly id?: number | undefined
  readonly name: string
  readonly path: string
  readonly description?: string | null | undefined
  readonly visibility: Visibility
}

/** Returns all problems with the columns of a group. Runs in the transaction that stores them. */
export function problemsOf(ctx: Ctx, input: GroupInput, parent: Group | undefined): Problems {
  const problems: Problems = {}
  const add = (field: string, text: string | undefined): void => {
    if (text) (problems[field] ??= []).push(text)
  }
  add(
    'name',
    nameProblem(input.name, NAME_RULE) ??
      (parent && store.isNameTaken(ctx.db, parent.id, input.name, input.id) ? TAKEN : undefined),
  )
  add(
    'path',
    pathProblem(input.path, parent ? 'below' : 'top') ??
      (isPathTaken(ctx, input, parent) ? TAKEN : undefined),
  )
  if (input.description && input.description.length > 500)
    add('description', 'is too long (maximum is 500 characters)')
  add('visibility_level', visibilityProblem(ctx, input, parent))
  if (input.id === undefined && parent && depthOf(parent) > MAX_ANCESTORS)
    add('parent_id', 'has too deep level of nesting')
  return problems
}

/** Returns the depth of a group: 1 for a top-level group. */
export function depthOf(group: Pick<Group, 'lineage'>): number {
  return (JSON.parse(group.lineage) as number[]).length
}

/** Returns true if another user, group or project has the full path. */
export function isPathTaken(
  ctx: Ctx,
  input: Pick<GroupInput, 'id' | 'path'>,
  parent: Pick<Group, 'full_path'> | undefined,
): boolean {
  const fullPath = parent ? `${parent.full_path}/${input.path}` : input.path
  const namespace = namespaceByPath(ctx.db, fullPath)
  return (
    (namespace !== undefined && namespace.id !== input.id) || projectByPath(ctx.db, fullPath) !== undefined
  )
}

function visibilityProblem(ctx: Ctx, input: GroupInput, parent: Group | undefined): string | undefined {
  const { visibility } = input
  const rank = VISIBILITY_RANK[visibility]
  const isWider = (other: string): boolean => VISIBILITY_RANK[other as Visibility] > rank
  if (parent && rank > VISIBILITY_RANK[parent.visibility]) {
    return `${visibility} is not allowed since the parent group has a ${parent.visibility} visibility.`
  }
  if (input.id !== undefined && visibilitiesIn(ctx, [input.id]).some(isWider)) {
    return `${visibility} is not allowed since this group contains projects with higher visibility.`
  }
  if (input.id !== undefined && store.visibilitiesBelow(ctx.db, input.id).some(isWider)) {
    return `${visibility} is not allowed since there are sub-groups with higher visibility.`
  }
  return undefined
}

/** Returns true if the settings restrict a visibility to administrators. */
export function isRestricted(ctx: Ctx, visibility: Visibility): boolean {
  return !ctx.actor.is_admin && settingsOf(ctx).restricted_visibility_levels.includes(visibility)
}

/** Returns the default visibility of the instance, or the next lower one that the parent and the settings allow. */
export function defaultVisibility(ctx: Ctx, parent: Group | undefined): Visibility {
  const order: readonly Visibility[] = ['public', 'internal', 'private']
  const candidates = order.slice(order.indexOf(settingsOf(ctx).default_group_visibility))
  const limit = parent ? VISIBILITY_RANK[parent.visibility] : Infinity
  return (
    candidates.find((candidate) => VISIBILITY_RANK[candidate] <= limit && !isRestricted(ctx, candidate)) ??
    'private'
  )
}

/** Returns true if the actor may create a group below the parent, or at the top level. */
export function mayCreate(ctx: Ctx, parent: Group | undefined): boolean {
  const { actor } = ctx
  if (actor.is_admin) return true
  if (!parent) return actor.kind === 'user' && userById(ctx.db, actor.id)?.can_create_group === true
  return roleOnNamespace(ctx, parent) >= (parent.subgroup_creation_level === 'owner' ? OWNER : MAINTAINER)
}

/** Returns true if the actor is an owner of the group or an administrator. */
export function manages(ctx: Ctx, group: Group): boolean {
  return ctx.actor.is_admin || roleOnNamespace(ctx, group) >= OWNER
}
