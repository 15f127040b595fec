import { onScopeDispose, readonly, ref } from 'vue'
import { WIDTHS, type Width } from '../../styles/widths.ts'

/** Whether a media query holds, as it changes. */
export const useMedia = (query: string) => {
  const media = window.matchMedia(query)
  const holds = ref(media.matches)
  const update = () => {
    holds.value = media.matches
  }
  media.addEventListener('change', update)
  onScopeDispose(() => media.removeEventListener('change', update))
  return readonly(holds)
}

/** Whether the window has this width. */
export const useWidth = (width: Width) => useMedia(WIDTHS[width])
