import { onBeforeUnmount, shallowRef, watchEffect } from 'vue'

const current = shallowRef<{ owner: symbol; level: number } | null>(null)

/** The user's role in the project or group of the current URL; null elsewhere or without a role. */
export const roleInSight = (): number | null => current.value?.level ?? null

/** Sets the user's role in the shown project or group until the component is unmounted. */
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
