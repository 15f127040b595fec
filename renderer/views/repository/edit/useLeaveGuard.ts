import { ref, type Ref } from 'vue'
import { onBeforeRouteLeave, onBeforeRouteUpdate, useRouter, type RouteLocationNormalized } from 'vue-router'
import { useUnsavedText } from '../../../composables/window/useUnsavedText.ts'

/** Confirms leaving a view with unsaved changes. The browser or the application confirms closing the window. */
export const useLeaveGuard = (isDirty: Readonly<Ref<boolean>>) => {
  const router = useRouter()
  const waiting = ref<RouteLocationNormalized | null>(null)
  let isFree = false

  const guard = (to: RouteLocationNormalized, from: RouteLocationNormalized) => {
    if (isFree || !isDirty.value || to.path === from.path) return true
    waiting.value = to
    return false
  }
  onBeforeRouteLeave(guard)
  onBeforeRouteUpdate(guard)

  useUnsavedText(() => isDirty.value && !isFree)

  return {
    waiting,
    stay: () => {
      waiting.value = null
    },
    /** Continues the navigation and discards the changes. */
    leave: async () => {
      const to = waiting.value
      isFree = true
      waiting.value = null
      if (to) await router.push(to.fullPath)
    },
    /** Allows the next navigation, because the changes are saved. */
    release: () => {
      isFree = true
    },
  }
}
