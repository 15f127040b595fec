/** What a filter chooses from. */
export type FilterKind = 'people' | 'labels' | 'milestone' | 'choice' | 'branch'

/** A filter of a list: its key in the address, and what it is called. */
export type Filter = {
  key: string
  label: string
  kind: FilterKind
  /** Several values, with commas between. */
  multiple?: boolean
  /** Words that stand beside the values: `None`, `Any`. */
  words?: readonly string[]
  /** For `choice`: what there is to choose. */
  options?: readonly { value: string; label: string }[]
}

/** Where the values of filters come from; null is the whole instance. */
export type FilterPlace = { kind: 'project' | 'group'; id: number } | null

/** How a value is written on its button: names of people with an @, choices by their label. */
export const sayValue = (filter: Filter, value: string): string => {
  if (filter.kind === 'choice') return filter.options?.find((one) => one.value === value)?.label ?? value
  const isWord = filter.words?.includes(value) ?? false
  return filter.kind === 'people' && !isWord ? `@${value}` : value.split(',').join(', ')
}
