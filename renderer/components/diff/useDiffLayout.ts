import { useLocalStorage } from '@vueuse/core'
import { computed, ref, type WritableComputedRef } from 'vue'
import { useWidth } from '../../composables/window/useMedia.ts'
import type { DiffLayout } from './diff-rows.ts'

/**
 * Side by side or inline: remembered for wide windows. A narrow one begins inline, because two columns of
 * code do not fit; choosing otherwise holds until the view is left.
 */
export function useDiffLayout(): WritableComputedRef<DiffLayout> {
  const isWide = useWidth('wide')
  const kept = useLocalStorage<DiffLayout>('deskforge.diff_layout', 'split')
  const narrow = ref<DiffLayout>('unified')
  return computed({
    get: () => (isWide.value ? (kept.value === 'unified' ? 'unified' : 'split') : narrow.value),
    set: (layout) => {
      if (isWide.value) kept.value = layout
      else narrow.value = layout
    },
  })
}
