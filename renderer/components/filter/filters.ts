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
export type FilterPlace = { kind: 'project' | 'group'; id: number } | null

/** How a value is written on its button: names of people with an @, choices by their label. */
export const sayValue = (filter: Filter, value: string): string => {
  if (filter.kind === 'choice') return filter.options?.find((one) => one.value === value)?.label ?? value
  const isWord = filter.words?.includes(value) ?? false
  return filter.kind === 'people' && !isWord ? `@${value}` : value.split(',').join(', ')
}
