import type { Item } from '../../api/client.ts'
import { plural } from '../../composables/time.ts'

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
  { value: 'default', label: 'Everybody' },
  { value: 'flexibleRollout', label: 'A share of users' },
  { value: 'userWithId', label: 'Users by their ids' },
  { value: 'serviceUserList', label: 'A list of users' },
  { value: 'gradualRolloutUserId', label: 'A share of users, by user id only (older programs)' },
] as const satisfies readonly { value: Strategy['name']; label: string }[]

export const STICKINESS = [
  { value: 'default', label: 'User id, or else the session' },
  { value: 'userId', label: 'User id' },
  { value: 'sessionId', label: 'Session id' },
  { value: 'random', label: 'Chance, anew each time' },
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
      return 'everybody'
    case 'serviceUserList':
      return `list ${user_list?.name ?? ''}`.trim()
    case 'userWithId':
      return plural(idsOf(parameters['userIds'] ?? '').length, 'user')
    case 'gradualRolloutUserId':
      return `${parameters['percentage'] ?? 0} % of users`
    default:
      return parameters['stickiness'] === 'sessionId'
        ? `${parameters['rollout'] ?? 0} % of sessions`
        : parameters['stickiness'] === 'random'
          ? `${parameters['rollout'] ?? 0} % of the time`
          : `${parameters['rollout'] ?? 0} % of users`
  }
}

/** Where a strategy counts, in a few words. */
export const placeWords = ({ scopes }: Strategy) => {
  const names = scopes.map((scope) => scope.environment_scope)
  if (names.length === 0) return 'nowhere yet'
  if (names.includes('*')) return 'everywhere'
  return names.join(', ')
}
