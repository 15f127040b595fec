import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import type { UploadedFile } from '../../http/upload.ts'
import { changesOf } from '../../lib/column-changes.ts'
import { invalid, notFound } from '../../lib/fail.ts'
import type { Visibility } from '../../policy/levels.ts'
import {
  endRedirectsBelow,
  leaveRedirectsBelow,
  renameNamespace,
  updateNamespace,
} from '../namespaces/index.ts'
import { checkAvatar } from '../storage/index.ts'
import { keepAvatar } from './avatar.ts'
import { GroupRenamed, GroupUpdated } from './events.ts'
import type { Group, GroupColumns } from './group.ts'
import { allowed, carryDown, settingProblems } from './inherited.ts'
import { isRestricted, problemsOf } from './rules.ts'
import { findGroup, parentOf } from './scope.ts'

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
