import type { Result } from '../../api/client.ts'
import { count } from '../../composables/time.ts'
import { locale } from '../../locales/locale.ts'
import { serverText } from '../../locales/server-texts.ts'
import { t } from '../../locales/t.ts'

export type SettingGroup = Result<'GET /-/settings/catalogue'>['groups'][number]
/** One setting of the instance, as the instance explains it. */
export type Setting = SettingGroup['settings'][number]

/** The settings with their texts in the language of the window. */
export const translated = (groups: readonly SettingGroup[]): SettingGroup[] =>
  groups.map((group) => ({
    ...group,
    title: serverText(group.title),
    settings: group.settings.map((one) => ({
      ...one,
      label: serverText(one.label),
      help: serverText(one.help),
      unit: one.unit === null ? null : serverText(one.unit),
      empty: one.empty === null ? null : serverText(one.empty),
      choices: one.choices?.map((choice) => ({ ...choice, label: serverText(choice.label) })) ?? null,
    })),
  }))

/** Stands for a stored secret that the instance never returns. */
export const KEPT = Symbol('kept')

/** The stored value of a setting. */
export const storedValue = (setting: Setting, values: Record<string, unknown>): unknown => {
  const value = values[setting.name] ?? null
  // Some decimals come as texts.
  if (setting.kind === 'decimal') return value === null ? null : Number(value)
  if (setting.secret !== 'hidden') return value
  return values[`${setting.name}_set`] === true ? KEPT : null
}

const sameAs = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one ?? null) === JSON.stringify(other ?? null)

/** Whether two values of a setting mean the same; writing out what empty means counts as empty. */
export const isSame = (setting: Setting, one: unknown, other: unknown): boolean => {
  const plain = (value: unknown) =>
    typeof value === 'string' && setting.empty !== null && (value === '' || value === setting.empty)
      ? null
      : value
  if (one === KEPT || other === KEPT) return one === other
  return sameAs(plain(one), plain(other))
}

/** Whether a value is the default of a new instance. */
export const isDefault = (setting: Setting, value: unknown): boolean =>
  isSame(setting, value, setting.default)

const withUnit = (setting: Setting, text: string) => (setting.unit ? `${text} ${setting.unit}` : text)

/** The text of a value in the line of defaults. */
export const valueLabel = (setting: Setting, value: unknown): string => {
  if (setting.kind === 'switch') return t(value ? 'settings.on' : 'settings.off')
  if (setting.kind === 'choice') {
    const wanted = value ?? 'nil'
    const label = setting.choices?.find((option) => option.value === wanted)?.label ?? String(wanted)
    return locale === 'en' ? label.toLowerCase() : label
  }
  if (value === '' || value == null) return setting.empty ?? t('settings.none')
  if (typeof value === 'number') return withUnit(setting, count(value))
  if (Array.isArray(value)) {
    if (value.length === 0) return setting.empty ?? t('settings.none')
    if (setting.kind === 'choices' && value.length === setting.choices?.length) return t('settings.all')
    return value.length > 3 ? t('settings.count_entries', { count: value.length }) : value.join(', ')
  }
  if (typeof value !== 'object') return withUnit(setting, String(value))
  if (setting.kind === 'weights')
    return Object.entries(value)
      .map(([name, share]) => `${name} ${share}`)
      .join(', ')
  if (setting.kind === 'switches')
    return t(Object.values(value).some(Boolean) ? 'settings.some' : 'settings.none')
  return t('settings.default')
}

/** What a field's text means for its setting: a number, a text, or null if empty has a meaning. */
export const readField = (setting: Setting, text: string): unknown => {
  // An empty field keeps a hidden secret.
  if (setting.secret === 'hidden') return text === '' ? undefined : text
  if (text.trim() === '' && setting.empty !== null) return null
  if (setting.kind === 'number') return /^-?\d{1,15}$/.test(text.trim()) ? Number(text) : text
  if (setting.kind === 'decimal') return /^-?\d{1,9}(\.\d{1,9})?$/.test(text.trim()) ? Number(text) : text
  return text
}

/** Controls that need more room than the column at the right has. */
export const isWide = (setting: Setting): boolean =>
  ['markdown', 'list', 'numbers', 'choices', 'weights', 'switches', 'object'].includes(setting.kind)

/** Whether a setting matches all words of a search. */
export const isFound = (setting: Setting, group: string, search: string): boolean => {
  const said = `${setting.label} ${setting.name} ${setting.help} ${group}`.toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => said.includes(word))
}
