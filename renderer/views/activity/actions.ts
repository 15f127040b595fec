/** The filters of an activity feed. */
export const ACTIONS = [
  { value: '', label: 'Everything' },
  { value: 'pushed', label: 'Pushes' },
  { value: 'merged', label: 'Merges' },
  { value: 'created', label: 'Made' },
  { value: 'commented', label: 'Comments' },
  { value: 'joined', label: 'People joining' },
  { value: 'left', label: 'People leaving' },
] as const

export type FeedAction = Exclude<(typeof ACTIONS)[number]['value'], ''>

/** The filter that an address names; nothing for one that does not exist. */
export const actionOf = (value: string): FeedAction | undefined => {
  const found = ACTIONS.find((one) => one.value === value)?.value
  return found === '' ? undefined : found
}
