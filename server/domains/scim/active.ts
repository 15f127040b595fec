import type { ScimUserRow } from './store.ts'

/** States in which nobody can work. */
export const SHUT: ReadonlySet<string> = new Set([
  'blocked',
  'banned',
  'ldap_blocked',
  'blocked_pending_approval',
])

/** Whether the user may work there: in a group as the identity says, in the instance as their account is. */
export function isActive(row: Pick<ScimUserRow, 'group_id' | 'active' | 'state'>): boolean {
  return row.group_id === null ? !SHUT.has(row.state) : row.active
}
