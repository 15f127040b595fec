/** The languages of the window, by their own names. */
export const LOCALES = { en: 'English', de: 'Deutsch' } as const
export type Locale = keyof typeof LOCALES
export type LocaleChoice = Locale | 'system'

/** Where this browser or application keeps display preferences. */
export const PREFERENCES_KEY = 'deskforge.preferences'

const isLocale = (value: unknown): value is Locale =>
  typeof value === 'string' && Object.hasOwn(LOCALES, value)

/** Reads the chosen language from stored preferences; whatever is not a known language counts as `system`. */
export const localeChoice = (preferences: { locale?: unknown }): LocaleChoice =>
  isLocale(preferences.locale) ? preferences.locale : 'system'

/** Resolves a choice: `system` is the first language of the browser that the window has, otherwise English. */
export const resolveLocale = (choice: LocaleChoice, languages: readonly string[]): Locale => {
  if (choice !== 'system') return choice
  const known = languages.map((tag) => tag.split('-')[0]).find(isLocale)
  return known ?? 'en'
}

const storedChoice = (): LocaleChoice => {
  try {
    return localeChoice(JSON.parse(localStorage.getItem(PREFERENCES_KEY) ?? '{}') as { locale?: unknown })
  } catch {
    return 'system'
  }
}

/** The language of this page. It stays the same until the page is loaded again. */
export const locale: Locale = resolveLocale(storedChoice(), navigator.languages)

/** The language tag for dates: British order for English, which is what the window has always shown. */
export const dateLocale = locale === 'en' ? 'en-GB' : locale
