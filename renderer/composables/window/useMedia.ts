import { onScopeDispose, readonly, ref } from 'vue'

/** The widths of a window at which views change, for scripts; `styles/adaptation.css` has the same for styles. */
export const WIDE = '(min-width: 1200px)'
export const VERY_WIDE = '(min-width: 1680px)'

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
