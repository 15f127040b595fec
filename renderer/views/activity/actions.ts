import { t } from '../../locales/t.ts'
/** The filters of an activity feed. */
export const ACTIONS = [
  { value: '', label: t('activity.all') },
  { value: 'pushed', label: t('activity.pushes') },
  { value: 'merged', label: t('activity.merges') },
  { value: 'created', label: t('activity.created_2') },
  { value: 'commented', label: t('common.comments') },
  { value: 'joined', label: t('activity.members_joined') },
  { value: 'left', label: t('activity.members_left') },
] as const

export type FeedAction = Exclude<(typeof ACTIONS)[number]['value'], ''>

/** The filter that an address names; nothing for one that does not exist. */
export const actionOf = (value: string): FeedAction | undefined => {
  const found = ACTIONS.find((one) => one.value === value)?.value
  return found === '' ? undefined : found
}
