import { computed, onScopeDispose, ref, watch } from 'vue'

const FIRST = 4
/** Few stages, because each of them costs a layout of the whole list. */
const MOST = 16

/**
 * The first rows of a long list, and more of them with each frame: so a view with many heavy rows answers to the click that
 * opened it, and to the next one.
 */
export const useInStages = <T>(rows: () => readonly T[]) => {
  const limit = ref(FIRST)
  let frame = 0
  const grow = () => {
    frame = 0
    limit.value += Math.min(limit.value, MOST)
  }
  watch(
    [() => rows().length, limit],
    ([all, shown]) => {
      if (shown < all && frame === 0) frame = requestAnimationFrame(grow)
    },
    { immediate: true, flush: 'post' },
  )
  onScopeDispose(() => cancelAnimationFrame(frame))
  return computed(() => rows().slice(0, limit.value))
}
