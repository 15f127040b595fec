import { computed, ref, watch } from 'vue'
import { useRoute } from 'vue-router'
import { useWidth } from '../../composables/window/useMedia.ts'
import { usePreferences } from '../../stores/preferences.ts'

/** A wide window shows the sidebar unless it is hidden. In a narrow window it opens over the content. */
export const useSidebar = () => {
  const preferences = usePreferences()
  const route = useRoute()
  const isNarrow = useWidth('narrow')
  const isOver = ref(false)
  const isFolded = computed(() => isNarrow.value || !preferences.sidebar)

  const toggle = () => {
    if (isNarrow.value) isOver.value = !isOver.value
    else preferences.sidebar = !preferences.sidebar
  }
  const close = () => {
    isOver.value = false
  }
  watch(() => route.fullPath, close)
  watch(isNarrow, close)

  return { isFolded, isOver: computed(() => isNarrow.value && isOver.value), toggle, close }
}
