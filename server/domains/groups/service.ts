import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { isoDate } from '../../lib/clock.ts'
import { fail, notFound, invalid, type Failure } from '../../lib/fail.ts'
import { OWNER, type Visibility } from '../../policy/levels.ts'
import { groupSource, insertMember, roleOnNamespace, insertShare, removeShare } from '../members/index.ts'
import {
  endRedirect,
  endRedirectsBelow,
  insertNamespace,
  storeRedirectsBelow,
  newRegistrationToken,
  renameNamespace,
  updateNamespace,
  namespaceById,
} from '../namespaces/index.ts'
import { settingsOf } from '../settings/index.ts'
import { checkAvatar, replaceAvatar } from '../storage/index.ts'
import { GroupCreated, GroupRenamed, GroupUpdated, GroupShared, GroupUnshared } from './events.ts'
import * as store from './store.ts'
import type { Group, GroupColumns } from './types.ts'
import { withoutForbidden, copyToSubgroups, inheritedSettings, settingProblems } from './service-settings.ts'
import { defaultVisibility, isRestricted, mayCreate, problemsOf, type Problems } from './validation.ts'
import { findGroup, visibleGroup, parentOf } from './policy.ts'
import { changesOf } from '../../lib/column-changes.ts'

/** A group to invite, and the highest access level of its members. */
interface ShareRequest {
  readonly group_id: number
  readonly group_access: number
  readonly expires_at?: string | null | undefined
}

const topOf = (group: Group): number => (JSON.parse(group.lineage) as number[])[0]!

/**
 * Shares a group with another group (spec core 2.2). Throws 404 for a group that the actor may not see, and for one
 * outside of a hierarchy that prevents this; 403 for a level above the actor's own; 409 if the share exists; 400 for
 * the group itself and for a date in the past.
 */
export function shareGroup(ctx: Ctx, group: Group, input: ShareRequest): void {
  tx(ctx.db, () => {
    const invitedGroup = visibleGroup(ctx, input.group_id)
    if (invitedGroup.id === group.id) throw fail('bad_request', 'A group cannot be shared with itself')
    const top = namespaceById(ctx.db, topOf(group))
    if (top?.prevent_sharing_groups_outside_hierarchy === true && topOf(invitedGroup) !== top.id)
      throw notFound()
    if (!ctx.actor.is_admin && input.group_access > roleOnNamespace(ctx, group)) throw fail('forbidden')
    const expires_at = input.expires_at ?? null
    if (expires_at !== null && expires_at <= isoDate(ctx.now))
      throw invalid({ expires_at: 'cannot be a date in the past' })
    removeExpiredShare(ctx, group, invitedGroup.id)
    insertShare(ctx.db, {
      shared_group_id: group.id,
      group_id: invitedGroup.id,
      access_level: input.group_access,
      expires_at,
      created_at: ctx.now,
    })
    const { group_access: access_level } = input
    publish(ctx, GroupShared, { ...eventOf(ctx, group, invitedGroup.id), access_level, expires_at })
  })
}

/** Deletes an expired share, so that the group can be invited again. Throws 409 for a share that has not expired. */
function removeExpiredShare(ctx: Ctx, group: Group, invitedId: number): void {
  const link = store.findShare(ctx.db, group.id, invitedId)
  if (!link) return
  if (link.expires_at === null || link.expires_at > isoDate(ctx.now))
    throw fail('conflict', 'The group has already been shared with this group')
  removeShare(ctx.db, link.id)
}

function eventOf(ctx: Ctx, group: Group, invitedId: number) {
  return { group_id: group.id, invited_group_id: invitedId, actor_id: ctx.actor.id }
}

/** Removes the share with an invited group. Throws `404 Group Link Not Found`. */
export function unshareGroup(ctx: Ctx, group: Group, invitedId: number): void {
  tx(ctx.db, () => {
    const link = store.findShare(ctx.db, group.id, invitedId)
    if (!link) throw notFound('Group Link')
    removeShare(ctx.db, link.id)
    publish(ctx, GroupUnshared, {
      ...eventOf(ctx, group, invitedId),
      access_level: link.access_level,
    })
  })
}

/** An uploaded file. */
type UploadedFile = Parameters<typeof checkAvatar>[0]

/** The parameters of a new group. */
export interface NewGroup {
  readonly name: string
  readonly path: string
  readonly parent_id?: number | undefined
  readonly avatar?: UploadedFile | null | undefined
  readonly columns: GroupColumns
}

const CREATION_LEVELS = ['noone', 'maintainer', 'developer'] as const

/** Returns the error of a failed creation. The contract formats its message as a Ruby hash (spec core 2.2). */
function saveFailure(problems: Problems): Failure {
  const fields = Object.entries(problems).map(([field, texts]) => `:${field}=>${JSON.stringify(texts)}`)
  return fail('bad_request', `Failed to save group {${fields.join(', ')}}`)
}

/**
 * Creates a group below another one or at the top level, with the actor as its owner. Throws 404 for a parent that
 * the actor may not see, 403 if the actor may not create groups there, 400 with every invalid field.
 */
export async function createGroup(ctx: Ctx, input: NewGroup): Promise<Group> {
  if (input.avatar) await checkAvatar(input.avatar)
  const created = tx(ctx.db, () => insertGroup(ctx, input))
  return input.avatar ? storeAvatar(ctx, created, input.avatar) : created
}

function insertGroup(ctx: Ctx, input: NewGroup): Group {
  const parent = input.parent_id === undefined ? undefined : visibleGroup(ctx, input.parent_id)
  if (!mayCreate(ctx, parent)) throw fail('forbidden')
  const columns = withoutForbidden(ctx, input.columns, !parent)
  const visibility = columns.visibility ?? defaultVisibility(ctx, parent)
  const problems = problemsOf(ctx, { ...input, description: columns.description, visibility }, parent)
  if (isRestricted(ctx, visibility))
    problems['visibility_level'] = [`${visibility} has been restricted by your administrator.`]
  if (Object.keys(problems).length > 0) throw saveFailure(problems)
  const settings = settingsOf(ctx)
  const created = insertNamespace(
    ctx.db,
    {
      project_creation_level: CREATION_LEVELS[settings.default_project_creation] ?? 'developer',
      default_branch_protection: settings.default_branch_protection,
      ...columns,
      ...inheritedSettings(parent, columns),
      kind: 'group',
      name: input.name,
      path: input.path,
      visibility,
      ...newRegistrationToken(ctx).columns,
      created_at: ctx.now,
      updated_at: ctx.now,
    },
    parent,
  ) as Group
  endRedirect(ctx.db, created.full_path)
  if (ctx.actor.kind === 'user')
    insertMember(ctx, groupSource(created), ctx.actor.id, { access_level: OWNER })
  publish(ctx, GroupCreated, { group_id: created.id, actor_id: ctx.actor.id, parent_id: created.parent_id })
  return created
}

/** Stores the avatar of a group, or removes it (null). Throws 400 `{avatar: […]}`. */
export async function storeAvatar(ctx: Ctx, group: Group, file: UploadedFile | null): Promise<Group> {
  return replaceAvatar(ctx, 'group', group.id, file, (avatar) =>
    tx(ctx.db, () => {
      publish(ctx, GroupUpdated, { group_id: group.id, actor_id: ctx.actor.id, changed: ['avatar'] })
      return updateNamespace(ctx.db, group.id, { avatar, updated_at: ctx.now }) as Group
    }),
  )
}

/** Columns that events publish with their values: every reader of the group may read them. */
const PUBLISHED = [
  'name',
  'visibility',
  'request_access_enabled',
  'lfs_enabled',
  'project_creation_level',
  'subgroup_creation_level',
  'share_with_group_lock',
  'require_two_factor_authentication',
]

/** The columns to change; absent columns keep their values. */
export type GroupChanges = GroupColumns & { name?: string; path?: string }

/** Updates settings, name, path or avatar. Throws 400 `{"message": {"path": […]}}` for invalid values. */
export async function updateGroup(
  ctx: Ctx,
  group: Group,
  changes: GroupChanges,
  avatar?: UploadedFile | null,
): Promise<Group> {
  if (avatar) await checkAvatar(avatar)
  const updated = tx(ctx.db, () => checkAndChange(ctx, reloadGroup(ctx, group), changes))
  return avatar === undefined ? updated : storeAvatar(ctx, updated, avatar)
}

/** Loads the group again after the avatar was checked. Throws 404 if it was deleted in the meantime. */
function reloadGroup(ctx: Ctx, group: Group): Group {
  const row = findGroup(ctx, String(group.id))
  if (!row) throw notFound('Group')
  return row
}

function checkAndChange(ctx: Ctx, group: Group, changes: GroupChanges): Group {
  const { name = group.name, path = group.path, ...settings } = changes
  const columns = withoutForbidden(ctx, settings, group.parent_id === null)
  checkColumns(ctx, group, { ...columns, name, path })
  const isRenamed = rename(ctx, group, { name, path })
  const updated = updateNamespace(ctx.db, group.id, { ...columns, updated_at: ctx.now }) as Group
  copyToSubgroups(ctx, updated, group)
  const changed = Object.keys({ ...columns, ...(isRenamed ? { name, path } : {}) })
  if (changed.length === 0) return updated
  publish(ctx, GroupUpdated, {
    group_id: group.id,
    actor_id: ctx.actor.id,
    changed,
    ...changesOf(PUBLISHED, group, updated),
    ...(updated.full_path === group.full_path ? {} : { old_path: group.full_path }),
  })
  return updated
}

function checkColumns(ctx: Ctx, group: Group, columns: GroupColumns & { name: string; path: string }): void {
  const { name, path, description } = columns
  const visibility = (columns.visibility ?? group.visibility) as Visibility
  const parent = parentOf(ctx, group)
  const problems = {
    ...problemsOf(ctx, { id: group.id, name, path, description, visibility }, parent),
    ...settingProblems(ctx, group, parent, columns),
  }
  if (visibility !== group.visibility && isRestricted(ctx, visibility))
    problems['visibility_level'] = [`${visibility} has been restricted by your administrator.`]
  if (Object.keys(problems).length > 0) throw invalid(problems)
}

/**
 * Changes the name and path of a group. The paths of everything below it change, and the old paths redirect to the
 * new ones. Returns false if nothing changes.
 */
function rename(ctx: Ctx, group: Group, to: { name: string; path: string }): boolean {
  if (to.name === group.name && to.path === group.path) return false
  const isMoved = to.path !== group.path
  if (isMoved) storeRedirectsBelow(ctx.db, group.id, ctx.now)
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
