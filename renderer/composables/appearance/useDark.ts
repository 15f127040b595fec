import { computed } from 'vue'
import { usePreferences } from '../../stores/preferences.ts'
import { useMedia } from '../window/useMedia.ts'

/** Whether the window is dark now. */
export const useDark = () => {
  const preferences = usePreferences()
  const isNight = useMedia('(prefers-color-scheme: dark)')
  return computed(() => (preferences.theme === 'system' ? isNight.value : preferences.theme === 'dark'))
}
