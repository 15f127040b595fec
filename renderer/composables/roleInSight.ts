import { onBeforeUnmount, shallowRef, watchEffect } from 'vue'

const current = shallowRef<{ owner: symbol; level: number } | null>(null)

/** The caller's role in the project or group that the address is in; null elsewhere and without one. */
export const roleInSight = (): number | null => current.value?.level ?? null

/** Tells what the caller is in the project or group on the screen, for as long as it is there. */
export const useRoleInSight = (level: () => number | null | undefined) => {
  const owner = Symbol('role')
  const leave = () => {
    if (current.value?.owner === owner) current.value = null
  }
  watchEffect(() => {
    const known = level()
    if (known) current.value = { owner, level: known }
    else leave()
  })
  onBeforeUnmount(leave)
}
