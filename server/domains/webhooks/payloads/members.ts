import type { Ctx } from '../../../ctx.ts'
import { namespaceById } from '../../namespaces/index.ts'
import { fullPath, projectById } from '../../projects/index.ts'
import { userById } from '../../users/index.ts'
import type { HookEvent } from '../recording/hook-event.ts'
import { isoSeconds, publicEmail, timestamps } from './blocks.ts'
import { groupNames } from './groups.ts'
import { memberSince } from './store.ts'

/** What happened to a membership. */
export type MembershipChange = 'add' | 'update' | 'remove'

/** A membership that was added, updated or removed. */
export interface Membership {
  readonly project_id?: number | undefined
  readonly group_id?: number | undefined
  readonly user_id: number
  readonly access_level: number
  readonly expires_at: string | null
  /** Set for a removed membership. */
  readonly created_at?: string
  /** Set if the user was deleted together with the membership. */
  readonly user?: { readonly name: string; readonly username: string } | undefined
}

/** The member's fields. Undefined if the user is deleted and the event does not contain them. */
export function memberOf(ctx: Pick<Ctx, 'db'>, { user_id, user }: Membership) {
  const account = userById(ctx.db, user_id) ?? (user && { ...user, public_email: '' })
  if (!account) return undefined
  return {
    user_username: account.username,
    user_name: account.name,
    user_email: publicEmail(account),
    user_id,
  }
}

/** The times of a membership in events. */
export function timesOf(ctx: Pick<Ctx, 'db' | 'now'>, membership: Membership, change: MembershipChange) {
  const created = membership.created_at ?? memberSince(ctx.db, membership) ?? ctx.now
  return timestamps({ created_at: created, updated_at: change === 'update' ? ctx.now : created })
}

/** Event names for members of groups. */
export const GROUP_EVENT_NAMES = {
  add: 'user_add_to_group',
  update: 'user_update_for_group',
  remove: 'user_remove_from_group',
} as const satisfies Record<MembershipChange, string>

/** Makes the event of a group member (spec administration 3.9). Null if the group or the user is deleted. */
export function memberEvent(
  ctx: Ctx,
  membership: Membership & { readonly group_id: number },
  change: MembershipChange,
): HookEvent | null {
  const group = namespaceById(ctx.db, membership.group_id)
  const member = memberOf(ctx, membership)
  if (!group || !member) return null
  const payload = {
    ...timesOf(ctx, membership, change),
    ...groupNames(group),
    ...member,
    group_access: accessLevelName(membership.access_level),
    group_plan: null,
    expires_at: membership.expires_at && isoSeconds(membership.expires_at),
    event_name: GROUP_EVENT_NAMES[change],
  }
  return { kind: 'member', group_id: group.id, payload }
}

const PROJECT_EVENT_NAMES: Readonly<Record<MembershipChange, string>> = {
  add: 'user_add_to_team',
  update: 'user_update_for_team',
  remove: 'user_remove_from_team',
}

/**
 * Makes the event of a member for system hooks (spec administration 3.10). Null if the owner or the user is deleted.
 */
export function teamEvent(ctx: Ctx, membership: Membership, change: MembershipChange): HookEvent | null {
  const member = memberOf(ctx, membership)
  const owner = ownerFields(ctx, membership)
  if (!member || !owner) return null
  const event_name = (membership.project_id === undefined ? GROUP_EVENT_NAMES : PROJECT_EVENT_NAMES)[change]
  const payload = { event_name, ...timesOf(ctx, membership, change), ...owner, ...member }
  return { kind: 'system', payload }
}

function ownerFields(ctx: Ctx, { project_id, group_id, access_level }: Membership) {
  const levelName = accessLevelName(access_level)
  if (project_id === undefined) {
    const group = namespaceById(ctx.db, group_id ?? 0)
    return group && { ...groupNames(group), group_access: levelName }
  }
  const project = projectById(ctx.db, project_id)
  return (
    project && {
      project_name: project.name,
      project_path: project.path,
      project_path_with_namespace: fullPath(project),
      project_id: project.id,
      access_level: levelName,
      project_visibility: project.visibility,
    }
  )
}

const ACCESS_LEVEL_NAMES: Readonly<Record<number, string>> = {
  5: 'Minimal Access',
  10: 'Guest',
  20: 'Reporter',
  30: 'Developer',
  40: 'Maintainer',
  50: 'Owner',
}

/** The name of an access level in member events. */
export function accessLevelName(level: number): string {
  return ACCESS_LEVEL_NAMES[level] ?? 'No access'
}
