import { t } from '../../locales/t.ts'

/** The options of a filter. */
export type FilterKind = 'people' | 'labels' | 'milestone' | 'choice' | 'branch'

/** A filter of a list: its key in the URL, and its label. */
export type Filter = {
  key: string
  label: string
  kind: FilterKind
  /** Several values, with commas between. */
  multiple?: boolean
  /** Additional values: `None`, `Any`. */
  words?: readonly string[]
  /** For `choice`: the options. */
  options?: readonly { value: string; label: string }[]
}

/** The source of filter values; null is the whole instance. */
export type FilterOwner = { kind: 'project' | 'group'; id: number } | null

/** How the additional values are written; the addresses and the API keep the English words. */
const WORDS: Record<string, string> = {
  None: t('common.none'),
  Any: t('filter.any'),
  Upcoming: t('filter.upcoming'),
  Started: t('filter.started'),
}
export const wordLabel = (word: string): string => WORDS[word] ?? word

/** How a value is written on its button: names of people with an @, choices by their label. */
export const valueLabel = (filter: Filter, value: string): string => {
  if (filter.kind === 'choice') return filter.options?.find((one) => one.value === value)?.label ?? value
  if (filter.words?.includes(value)) return wordLabel(value)
  return filter.kind === 'people' ? `@${value}` : value.split(',').join(', ')
}
