import type { ScimUserRow } from '../store.ts'

/** States of an account that cannot be used. */
export const SHUT: ReadonlySet<string> = new Set([
  'blocked',
  'banned',
  'ldap_blocked',
  'blocked_pending_approval',
])

/** Whether the user is active: in a group by the identity, in the instance by the state of the account. */
export function isActive(row: Pick<ScimUserRow, 'group_id' | 'active' | 'state'>): boolean {
  return row.group_id === null ? !SHUT.has(row.state) : row.active
}
