import { t } from '../../locales/t.ts'
/** The filters of an activity feed. */
export const ACTIONS = [
  { value: '', label: t('activity.everything') },
  { value: 'pushed', label: t('activity.pushes') },
  { value: 'merged', label: t('activity.merges') },
  { value: 'created', label: t('activity.made') },
  { value: 'commented', label: t('common.comments') },
  { value: 'joined', label: t('activity.people_joining') },
  { value: 'left', label: t('activity.people_leaving') },
] as const

export type FeedAction = Exclude<(typeof ACTIONS)[number]['value'], ''>

/** The filter that an address names; nothing for one that does not exist. */
export const actionOf = (value: string): FeedAction | undefined => {
  const found = ACTIONS.find((one) => one.value === value)?.value
  return found === '' ? undefined : found
}
