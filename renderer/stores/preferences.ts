import { defineStore } from 'pinia'
import { ref, watch } from 'vue'

export type Theme = 'system' | 'light' | 'dark'

type Saved = { theme: Theme; sidebar: boolean }

const KEY = 'deskforge.preferences'
const DEFAULTS: Saved = { theme: 'system', sidebar: true }

const read = (): Saved => {
  try {
    const saved = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Saved>
    return {
      theme: saved.theme === 'light' || saved.theme === 'dark' ? saved.theme : DEFAULTS.theme,
      sidebar: typeof saved.sidebar === 'boolean' ? saved.sidebar : DEFAULTS.sidebar,
    }
  } catch {
    return DEFAULTS
  }
}

/** Display preferences of this browser or application. They are not stored on the instance. */
export const usePreferences = defineStore('preferences', () => {
  const saved = read()
  const theme = ref<Theme>(saved.theme)
  /** The sidebar of a wide window; a narrow one always starts without. */
  const sidebar = ref(saved.sidebar)

  watch(
    [theme, sidebar],
    () => {
      const root = document.documentElement
      if (theme.value === 'system') delete root.dataset.theme
      else root.dataset.theme = theme.value
      void window.desktop?.setTheme(theme.value)
      localStorage.setItem(KEY, JSON.stringify({ theme: theme.value, sidebar: sidebar.value }))
    },
    { immediate: true },
  )

  return { theme, sidebar }
})
