import { inject, type ComputedRef, type InjectionKey } from 'vue'
import type { GroupDetail } from '../api/types.ts'

/** A group with the access level of the caller (`level` is null while it loads). */
export type GroupWithAccess = GroupDetail & {
  level: number | null
  permissions: { group_access: { access_level: number } | null }
}

/** The group of the current URL; the frame provides it to all views inside a group. */
export const GROUP: InjectionKey<ComputedRef<GroupWithAccess>> = Symbol('group')

/** The group that the address is in. Only for views that are routed inside a group. */
export const useGroup = (): ComputedRef<GroupWithAccess> => {
  const group = inject(GROUP)
  if (!group) throw new Error('useGroup() needs a view inside a group')
  return group
}
