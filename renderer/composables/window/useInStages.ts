import { computed, onScopeDispose, ref, watch } from 'vue'
import { afterPaint } from './afterPaint.ts'

/** Few stages, because each of them costs a layout of the whole list. */
const MOST = 16

/**
 * The first rows of a long list, and more of them with each frame: so a view with many heavy rows answers to the click that
 * opened it, and to the next one. The rows that a window shows without scrolling should be in the first stage.
 */
export const useInStages = <T>(rows: () => readonly T[], first = 4) => {
  const limit = ref(first)
  let cancel: (() => void) | undefined
  const grow = () => {
    cancel = undefined
    limit.value += Math.max(first, Math.min(limit.value, MOST))
  }
  watch(
    [() => rows().length, limit],
    ([all, shown]) => {
      if (shown < all) cancel ??= afterPaint(grow)
    },
    { immediate: true, flush: 'post' },
  )
  onScopeDispose(() => cancel?.())
  return computed(() => rows().slice(0, limit.value))
}
