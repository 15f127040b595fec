import { onMounted, onScopeDispose, ref } from 'vue'

/** Runs a function after the next frame is on the screen. Returns what cancels it. */
export const afterPaint = (run: () => void): (() => void) => {
  // The first callback runs before that frame is painted, the second before the one after it.
  let frame = requestAnimationFrame(() => {
    frame = requestAnimationFrame(run)
  })
  return () => cancelAnimationFrame(frame)
}

/** Becomes true when the component is on the screen. What is shown only then does not delay the answer to a click. */
export const useHasPainted = () => {
  const hasPainted = ref(false)
  let cancel = () => {}
  onMounted(() => {
    cancel = afterPaint(() => (hasPainted.value = true))
  })
  onScopeDispose(() => cancel())
  return hasPainted
}
