import { computed } from 'vue'
import { useRoute } from 'vue-router'
import { useMedia, VERY_WIDE, WIDE } from './useMedia.ts'

/** Whether the navigation of a project or group is icons: in a narrow window, and next to a view that needs the width. */
export const useIconsOnly = () => {
  const route = useRoute()
  const isWide = useMedia(WIDE)
  const isVeryWide = useMedia(VERY_WIDE)
  return computed(
    () => !isWide.value || route.meta.iconsOnly === true || (route.meta.beside === true && !isVeryWide.value),
  )
}
