import { defineStore } from 'pinia'
import { ref, watch } from 'vue'
import { localeChoice, PREFERENCES_KEY, type LocaleChoice } from '../locales/locale.ts'

export type Theme = 'system' | 'light' | 'dark'

type Saved = { theme: Theme; sidebar: boolean; locale: LocaleChoice }

const DEFAULTS: Saved = { theme: 'system', sidebar: true, locale: 'system' }

const read = (): Saved => {
  try {
    const saved = JSON.parse(localStorage.getItem(PREFERENCES_KEY) ?? '{}') as Partial<Saved>
    return {
      theme: saved.theme === 'light' || saved.theme === 'dark' ? saved.theme : DEFAULTS.theme,
      sidebar: typeof saved.sidebar === 'boolean' ? saved.sidebar : DEFAULTS.sidebar,
      locale: localeChoice(saved),
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
  /** The language of the window. It applies after the page is loaded again. */
  const locale = ref<LocaleChoice>(saved.locale)

  watch(
    [theme, sidebar, locale],
    () => {
      const root = document.documentElement
      if (theme.value === 'system') delete root.dataset.theme
      else root.dataset.theme = theme.value
      void window.desktop?.setTheme(theme.value)
      const values: Saved = { theme: theme.value, sidebar: sidebar.value, locale: locale.value }
      localStorage.setItem(PREFERENCES_KEY, JSON.stringify(values))
    },
    // Written at once: a change of the language loads the page again.
    { immediate: true, flush: 'sync' },
  )

  return { theme, sidebar, locale }
})
