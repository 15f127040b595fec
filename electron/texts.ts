import de from './locales/de.json' with { type: 'json' }
import en from './locales/en.json' with { type: 'json' }

const LOCALES = { en, de }
export type Locale = keyof typeof LOCALES
type Messages = typeof en
/** The key of a message in `locales/en.json`: `group.key`. */
export type TextKey = { [G in keyof Messages]: `${G}.${keyof Messages[G] & string}` }[keyof Messages]

let current: Locale = 'en'

export const isLocale = (value: unknown): value is Locale =>
  typeof value === 'string' && Object.hasOwn(LOCALES, value)

/** Returns the first of the system's languages that the shell supports, or English. */
export const localeFor = (languages: readonly string[]): Locale =>
  languages.map((tag) => tag.split('-')[0]).find(isLocale) ?? 'en'

/** Sets the language of all further texts. */
export function setLocale(locale: Locale): void {
  current = locale
}

export const currentLocale = (): Locale => current

/** Returns a text of the shell in the current language. `{name}` is replaced by the value with this name. */
export function text(key: TextKey, values: Readonly<Record<string, string | number>> = {}): string {
  const [group = '', name = ''] = key.split('.')
  const groups: Record<string, Record<string, string>> = LOCALES[current]
  const message = groups[group]?.[name] ?? key
  return message.replaceAll(/\{(\w+)\}/g, (whole, value: string) =>
    Object.hasOwn(values, value) ? String(values[value]) : whole,
  )
}
