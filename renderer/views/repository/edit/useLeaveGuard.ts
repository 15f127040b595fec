import { onBeforeUnmount, onMounted, ref, type Ref } from 'vue'
import { onBeforeRouteLeave, onBeforeRouteUpdate, useRouter, type RouteLocationNormalized } from 'vue-router'

/** Asks before unsaved work is lost by going elsewhere; the browser asks for itself when the window closes. */
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

  const warn = (event: BeforeUnloadEvent) => {
    if (isDirty.value && !isFree) event.preventDefault()
  }
  onMounted(() => window.addEventListener('beforeunload', warn))
  onBeforeUnmount(() => window.removeEventListener('beforeunload', warn))

  return {
    waiting,
    stay: () => {
      waiting.value = null
    },
    /** Goes where the user wanted to, and loses the work. */
    leave: async () => {
      const to = waiting.value
      isFree = true
      waiting.value = null
      if (to) await router.push(to.fullPath)
    },
    /** Lets the next step pass: the work is done. */
    release: () => {
      isFree = true
    },
  }
}
