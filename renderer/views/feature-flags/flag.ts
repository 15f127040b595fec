import type { Item } from '../../api/client.ts'
import { t } from '../../locales/t.ts'

/** A feature flag as the API shows it. */
export type Flag = Item<'GET /projects/:id/feature_flags'>
export type Strategy = Flag['strategies'][number]
/** A user list for strategies. */
export type UserList = Item<'GET /projects/:id/feature_flags_user_lists'>
/** The result of a flag for a user. */
export type Evaluation = Item<'GET /-/projects/:id/feature_flags/evaluation'>

/** Answers that are stale after a change of flags or lists. */
export const STALE = ['GET /projects/:id/feature_flags*', 'GET /-/projects/:id/feature_flags*']

/** A project has at most fifty flags, so that one page holds them all. */
export const ALL = 100

export const STRATEGIES = [
  { value: 'default', label: t('feature_flags.all_users') },
  { value: 'flexibleRollout', label: t('feature_flags.percent_of_users') },
  { value: 'userWithId', label: t('feature_flags.user_ids_2') },
  { value: 'serviceUserList', label: t('feature_flags.user_list') },
  { value: 'gradualRolloutUserId', label: t('feature_flags.percent_of_users_by_user_id_only') },
] as const satisfies readonly { value: Strategy['name']; label: string }[]

export const STICKINESS = [
  { value: 'default', label: t('feature_flags.user_id_otherwise_session') },
  { value: 'userId', label: t('feature_flags.user_id') },
  { value: 'sessionId', label: t('feature_flags.session_id') },
  { value: 'random', label: t('feature_flags.random') },
] as const

/** Users separated by commas, as the API has them. */
export const idsOf = (text: string) => (text === '' ? [] : text.split(','))

/** Converts typed user ids, separated by lines or commas, to the format of the API. */
export const asIds = (text: string) =>
  [
    ...new Set(
      text
        .split(/[\n\r\t,]/)
        .map((id) => id.trim())
        .filter((id) => id !== ''),
    ),
  ].join(',')

/** For whom a strategy is, in a few words. */
export const strategyWords = ({ name, parameters, user_list }: Strategy) => {
  switch (name) {
    case 'default':
      return t('feature_flags.all_users_2')
    case 'serviceUserList':
      return t('feature_flags.list_name', { name: user_list?.name ?? '' }).trim()
    case 'userWithId':
      return t('count.users', { count: idsOf(parameters['userIds'] ?? '').length })
    case 'gradualRolloutUserId':
      return t('feature_flags.parameters_of_users', { parameters: parameters['percentage'] ?? 0 })
    default:
      return parameters['stickiness'] === 'sessionId'
        ? t('feature_flags.parameters_of_sessions', { parameters: parameters['rollout'] ?? 0 })
        : parameters['stickiness'] === 'random'
          ? t('feature_flags.parameters_of_requests', { parameters: parameters['rollout'] ?? 0 })
          : t('feature_flags.parameters_of_users', { parameters: parameters['rollout'] ?? 0 })
  }
}

/** Where a strategy counts, in a few words. */
export const environmentWords = ({ scopes }: Strategy) => {
  const names = scopes.map((scope) => scope.environment_scope)
  if (names.length === 0) return t('feature_flags.no_environments')
  if (names.includes('*')) return t('feature_flags.all_environments_2')
  return names.join(', ')
}
