import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/facts.ts'
import { fail, invalid, notFound, type Failure } from '../../lib/fail.ts'
import { canRead } from '../../policy/ability.ts'
import { OWNER, type Visibility } from '../../policy/levels.ts'
import { groupPlace, insertMember } from '../members/index.ts'
import {
  insertNamespace,
  namespaceById,
  namespaceTreeIds,
  removeNamespace,
  renameNamespace,
  updateNamespace,
  type NamespaceRow,
} from '../namespaces/index.ts'
import { deleteProjectsIn } from '../projects/index.ts'
import { settingsOf } from '../settings/index.ts'
import { GroupCreated, GroupDeleted, GroupUpdated } from './events.ts'
import type { Group } from './group.ts'
import { defaultVisibility, isRestricted, mayCreate, problemsOf, type Problems } from './rules.ts'
import { findGroup, group as scope } from './scope.ts'

/** Settings of a group as columns. */
export type GroupColumns = Partial<Omit<NamespaceRow, 'id' | 'name' | 'path' | 'kind'>>

/** What a group is created from. */
export interface NewGroup {
  readonly name: string
  readonly path: string
  readonly parent_id?: number | undefined
  readonly columns: GroupColumns
}

const CREATION_LEVELS = ['noone', 'maintainer', 'developer']

/** The contract prints a hash into a sentence here (spec core 2.2). */
function failedToSave(problems: Problems): Failure {
  const fields = Object.entries(problems).map(([field, texts]) => `:${field}=>${JSON.stringify(texts)}`)
  return fail('bad_request', `Failed to save group {${fields.join(', ')}}`)
}

/**
 * Creates a group below another or at the top, owned by the actor. Throws 404 for an unreadable parent, 403 for who may
 * not, 400 with every field that cannot stand.
 */
export function createGroup(ctx: Ctx, given: NewGroup): Group {
  return tx(ctx.db, () => {
    const parent = given.parent_id === undefined ? undefined : parentOf(ctx, given.parent_id)
    if (!mayCreate(ctx, parent)) throw fail('forbidden')
    const settings = settingsOf(ctx)
    const visibility = (given.columns.visibility as Visibility | undefined) ?? defaultVisibility(ctx, parent)
    const problems = problemsOf(ctx, { ...given, description: given.columns.description, visibility }, parent)
    if (isRestricted(ctx, visibility))
      problems['visibility_level'] = [`${visibility} has been restricted by your administrator.`]
    if (Object.keys(problems).length > 0) throw failedToSave(problems)
    const row = insertNamespace(
      ctx.db,
      {
        project_creation_level: CREATION_LEVELS[settings.default_project_creation] ?? 'developer',
        default_branch_protection: settings.default_branch_protection,
        ...given.columns,
        kind: 'group',
        name: given.name,
        path: given.path,
        visibility,
        created_at: ctx.now,
        updated_at: ctx.now,
      },
      parent,
    )
    const made = row as Group
    if (ctx.actor.kind === 'user') insertMember(ctx, groupPlace(made), ctx.actor.id, { access_level: OWNER })
    publish(ctx, GroupCreated, { group_id: made.id, actor_id: ctx.actor.id, parent_id: made.parent_id })
    return made
  })
}

function parentOf(ctx: Ctx, id: number): Group {
  const parent = findGroup(ctx, String(id))
  if (!parent || !canRead(ctx, scope, parent)) throw notFound('Group')
  return parent
}

/** Changes settings, name or path. Throws 400 `{"message": {"path": […]}}` for what cannot stand. */
export function updateGroup(
  ctx: Ctx,
  group: Group,
  changes: GroupColumns & { name?: string; path?: string },
): Group {
  return tx(ctx.db, () => {
    const { name = group.name, path = group.path, ...columns } = changes
    const visibility = (columns.visibility ?? group.visibility) as Visibility
    const parent = group.parent_id === null ? undefined : (namespaceById(ctx.db, group.parent_id) as Group)
    const problems = problemsOf(
      ctx,
      { id: group.id, name, path, description: columns.description, visibility },
      parent,
    )
    if (visibility !== group.visibility && isRestricted(ctx, visibility)) {
      problems['visibility_level'] = [`${visibility} has been restricted by your administrator.`]
    }
    if (Object.keys(problems).length > 0) throw invalid(problems)
    const renamed = name !== group.name || path !== group.path
    if (renamed) renameNamespace(ctx.db, group, { name, path, updated_at: ctx.now })
    const updated = updateNamespace(ctx.db, group.id, { ...columns, updated_at: ctx.now }) as Group
    publish(ctx, GroupUpdated, {
      group_id: group.id,
      actor_id: ctx.actor.id,
      changed: Object.keys(changes),
      ...(updated.full_path === group.full_path ? {} : { old_path: group.full_path }),
    })
    return updated
  })
}

/** Deletes a group with everything below it. The repositories go in the background. */
export function deleteGroup(ctx: Ctx, group: Group): void {
  tx(ctx.db, () => {
    deleteProjectsIn(ctx, namespaceTreeIds(ctx.db, group.id))
    removeNamespace(ctx.db, group.id)
    publish(ctx, GroupDeleted, {
      group_id: group.id,
      actor_id: ctx.actor.id,
      full_path: group.full_path,
      parent_id: group.parent_id,
    })
  })
}
