import type { Ctx } from '../../../ctx.ts'
import { namespaceById } from '../../namespaces/index.ts'
import type { HookEvent } from '../recording/hook-event.ts'
import { groupNames } from './group-names.ts'
import { memberOf, type Membership, timesOf, type Verb } from './membership.ts'
import { roleWord } from './roles.ts'
import { isoSeconds } from './times.ts'

/** Names of events about members of groups. */
export const GROUP_VERBS = {
  add: 'user_add_to_group',
  update: 'user_update_for_group',
  remove: 'user_remove_from_group',
} as const satisfies Record<Verb, string>

/** The event of a group's member (spec administration 3.9); null where the group or the user is gone. */
export function memberEvent(
  ctx: Ctx,
  membership: Membership & { readonly group_id: number },
  verb: Verb,
): HookEvent | null {
  const group = namespaceById(ctx.db, membership.group_id)
  const member = memberOf(ctx, membership)
  if (!group || !member) return null
  const payload = {
    ...timesOf(ctx, membership, verb),
    ...groupNames(group),
    ...member,
    group_access: roleWord(membership.access_level),
    group_plan: null,
    expires_at: membership.expires_at && isoSeconds(membership.expires_at),
    event_name: GROUP_VERBS[verb],
  }
  return { kind: 'member', group_id: group.id, payload }
}
