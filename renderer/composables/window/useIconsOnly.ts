import { computed } from 'vue'
import { useRoute } from 'vue-router'
import { useWidth } from './useMedia.ts'

/** Whether the navigation of a project or group is icons: in a narrow window, and next to a view that needs the width. */
export const useIconsOnly = () => {
  const route = useRoute()
  const isWide = useWidth('wide')
  const isVeryWide = useWidth('very-wide')
  return computed(
    () => !isWide.value || route.meta.iconsOnly === true || (route.meta.beside === true && !isVeryWide.value),
  )
}
