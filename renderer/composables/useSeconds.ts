import { onScopeDispose, ref, watch } from 'vue'

/** The time in milliseconds, renewed every second while `isTicking`. */
export const useSeconds = (isTicking: () => boolean) => {
  const now = ref(Date.now())
  let timer: ReturnType<typeof setInterval> | undefined
  watch(
    isTicking,
    (is) => {
      clearInterval(timer)
      now.value = Date.now()
      if (is) timer = setInterval(() => (now.value = Date.now()), 1000)
    },
    { immediate: true },
  )
  onScopeDispose(() => clearInterval(timer))
  return now
}
