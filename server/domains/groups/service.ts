import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { fail, notFound, invalid, type Failure } from '../../lib/fail.ts'
import { OWNER, type Visibility } from '../../policy/levels.ts'
import { groupSource, insertMember } from '../members/index.ts'
import {
  endRedirect,
  endRedirectsBelow,
  insertNamespace,
  leaveRedirectsBelow,
  newRegistrationToken,
  renameNamespace,
  updateNamespace,
} from '../namespaces/index.ts'
import { settingsOf } from '../settings/index.ts'
import { checkAvatar, replaceAvatar } from '../storage/index.ts'
import { GroupCreated, GroupRenamed, GroupUpdated } from './events.ts'
import type { Group, GroupColumns } from './types.ts'
import { allowed, carryDown, fromParent, settingProblems } from './service-settings.ts'
import { defaultVisibility, isRestricted, mayCreate, problemsOf, type Problems } from './validation.ts'
import { findGroup, groupSeen, parentOf } from './policy.ts'
import { changesOf } from '../../lib/column-changes.ts'

/** An uploaded picture, as the storage domain takes it. */
type UploadedFile = Parameters<typeof checkAvatar>[0]

/** What a group is created from. */
export interface NewGroup {
  readonly name: string
  readonly path: string
  readonly parent_id?: number | undefined
  readonly avatar?: UploadedFile | null | undefined
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
export async function createGroup(ctx: Ctx, given: NewGroup): Promise<Group> {
  if (given.avatar) await checkAvatar(given.avatar)
  const made = tx(ctx.db, () => insertGroup(ctx, given))
  return given.avatar ? keepAvatar(ctx, made, given.avatar) : made
}

function insertGroup(ctx: Ctx, given: NewGroup): Group {
  const parent = given.parent_id === undefined ? undefined : groupSeen(ctx, given.parent_id)
  if (!mayCreate(ctx, parent)) throw fail('forbidden')
  const columns = allowed(ctx, given.columns, !parent)
  const visibility = (columns.visibility as Visibility | undefined) ?? defaultVisibility(ctx, parent)
  const problems = problemsOf(ctx, { ...given, description: columns.description, visibility }, parent)
  if (isRestricted(ctx, visibility))
    problems['visibility_level'] = [`${visibility} has been restricted by your administrator.`]
  if (Object.keys(problems).length > 0) throw failedToSave(problems)
  const settings = settingsOf(ctx)
  const made = insertNamespace(
    ctx.db,
    {
      project_creation_level: CREATION_LEVELS[settings.default_project_creation] ?? 'developer',
      default_branch_protection: settings.default_branch_protection,
      ...columns,
      ...fromParent(parent, columns),
      kind: 'group',
      name: given.name,
      path: given.path,
      visibility,
      ...newRegistrationToken(ctx).columns,
      created_at: ctx.now,
      updated_at: ctx.now,
    },
    parent,
  ) as Group
  endRedirect(ctx.db, made.full_path)
  if (ctx.actor.kind === 'user') insertMember(ctx, groupSource(made), ctx.actor.id, { access_level: OWNER })
  publish(ctx, GroupCreated, { group_id: made.id, actor_id: ctx.actor.id, parent_id: made.parent_id })
  return made
}

/** Puts the picture of a group at its place, or takes it away (null). Throws 400 `{avatar: […]}`. */
export async function keepAvatar(ctx: Ctx, group: Group, file: UploadedFile | null): Promise<Group> {
  return replaceAvatar(ctx, 'group', group.id, file, (avatar) =>
    tx(ctx.db, () => {
      publish(ctx, GroupUpdated, { group_id: group.id, actor_id: ctx.actor.id, changed: ['avatar'] })
      return updateNamespace(ctx.db, group.id, { avatar, updated_at: ctx.now }) as Group
    }),
  )
}

/** Columns that events tell with their values: what everybody reads who sees the group. */
const TOLD = [
  'name',
  'visibility',
  'request_access_enabled',
  'lfs_enabled',
  'project_creation_level',
  'subgroup_creation_level',
  'share_with_group_lock',
  'require_two_factor_authentication',
]

/** Columns to change; what is absent stays. */
export type GroupChanges = GroupColumns & { name?: string; path?: string }

/** Changes settings, name, path or picture. Throws 400 `{"message": {"path": […]}}` for what cannot stand. */
export async function updateGroup(
  ctx: Ctx,
  group: Group,
  changes: GroupChanges,
  avatar?: UploadedFile | null,
): Promise<Group> {
  if (avatar) await checkAvatar(avatar)
  const updated = tx(ctx.db, () => change(ctx, asNow(ctx, group), changes))
  return avatar === undefined ? updated : keepAvatar(ctx, updated, avatar)
}

/** The group as it is after the picture was looked at. Throws 404 when it has gone meanwhile. */
function asNow(ctx: Ctx, group: Group): Group {
  const found = findGroup(ctx, String(group.id))
  if (!found) throw notFound('Group')
  return found
}

function change(ctx: Ctx, group: Group, given: GroupChanges): Group {
  const { name = group.name, path = group.path, ...settings } = given
  const columns = allowed(ctx, settings, group.parent_id === null)
  check(ctx, group, { ...columns, name, path })
  const renamed = rename(ctx, group, { name, path })
  const updated = updateNamespace(ctx.db, group.id, { ...columns, updated_at: ctx.now }) as Group
  carryDown(ctx, updated, group)
  const changed = Object.keys({ ...columns, ...(renamed ? { name, path } : {}) })
  if (changed.length === 0) return updated
  publish(ctx, GroupUpdated, {
    group_id: group.id,
    actor_id: ctx.actor.id,
    changed,
    ...changesOf(TOLD, group, updated),
    ...(updated.full_path === group.full_path ? {} : { old_path: group.full_path }),
  })
  return updated
}

function check(ctx: Ctx, group: Group, wanted: GroupColumns & { name: string; path: string }): void {
  const { name, path, description } = wanted
  const visibility = (wanted.visibility ?? group.visibility) as Visibility
  const parent = parentOf(ctx, group)
  const problems = {
    ...problemsOf(ctx, { id: group.id, name, path, description, visibility }, parent),
    ...settingProblems(ctx, group, parent, wanted),
  }
  if (visibility !== group.visibility && isRestricted(ctx, visibility))
    problems['visibility_level'] = [`${visibility} has been restricted by your administrator.`]
  if (Object.keys(problems).length > 0) throw invalid(problems)
}

/** Gives the group and everything below it new addresses; the old ones go on leading there. False when all stays. */
function rename(ctx: Ctx, group: Group, to: { name: string; path: string }): boolean {
  if (to.name === group.name && to.path === group.path) return false
  const isMoved = to.path !== group.path
  if (isMoved) leaveRedirectsBelow(ctx.db, group.id, ctx.now)
  const { full_path } = renameNamespace(ctx.db, group, { ...to, updated_at: ctx.now })
  if (!isMoved) return true
  endRedirectsBelow(ctx.db, group.id)
  publish(ctx, GroupRenamed, {
    group_id: group.id,
    actor_id: ctx.actor.id,
    old_full_path: group.full_path,
    full_path,
  })
  return true
}
