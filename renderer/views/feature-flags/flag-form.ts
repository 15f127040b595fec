import type { Params } from '../../api/client.ts'
import { asIds, idsOf, type Flag, type Strategy } from './flag.ts'
import { t } from '../../locales/t.ts'

/** A strategy that is being edited. `key` identifies it in the form; a new one has no id. */
export type DraftStrategy = {
  key: number
  id: number | null
  name: Strategy['name']
  share: number
  stickiness: string
  groupId: string
  /** One user a line. */
  users: string
  listId: number | null
  scopes: { id: number | null; name: string }[]
}

/** A flag while it is edited. */
export type DraftFlag = { name: string; description: string; active: boolean; strategies: DraftStrategy[] }

let keys = 0

/** A new strategy: for all users in all environments. */
export const newStrategy = (): DraftStrategy => ({
  key: ++keys,
  id: null,
  name: 'default',
  share: 50,
  stickiness: 'default',
  groupId: 'default',
  users: '',
  listId: null,
  scopes: [{ id: null, name: '*' }],
})

/** A strategy that is there, to be edited. */
export const draftOf = ({ id, name, parameters, user_list, scopes }: Strategy): DraftStrategy => ({
  ...newStrategy(),
  id,
  name,
  share: Number(parameters['rollout'] ?? parameters['percentage'] ?? 50),
  stickiness: parameters['stickiness'] ?? 'default',
  groupId: parameters['groupId'] ?? 'default',
  users: idsOf(parameters['userIds'] ?? '').join('\n'),
  listId: user_list?.id ?? null,
  scopes: scopes.map((scope) => ({ id: scope.id, name: scope.environment_scope })),
})

const parametersOf = (draft: DraftStrategy): Record<string, string> => {
  const { groupId } = draft
  switch (draft.name) {
    case 'userWithId':
      return { userIds: asIds(draft.users) }
    case 'gradualRolloutUserId':
      return { groupId, percentage: String(draft.share) }
    case 'flexibleRollout':
      return { groupId, rollout: String(draft.share), stickiness: draft.stickiness }
    default:
      return {}
  }
}

const given = (draft: DraftStrategy) => ({
  name: draft.name,
  parameters: parametersOf(draft),
  ...(draft.name === 'serviceUserList' ? { user_list_id: draft.listId } : {}),
})

/** The validation error of a strategy; null if it is valid. */
export const problemOf = (draft: DraftStrategy) => {
  if (draft.name === 'serviceUserList' && draft.listId === null) return t('feature_flags.select_a_user_list')
  return Number.isInteger(draft.share) && draft.share >= 0 && draft.share <= 100
    ? null
    : t('feature_flags.the_percentage_must_be_a_whole_number')
}

/** The strategies of a new flag in the format of the API. */
export const created = (drafts: readonly DraftStrategy[]) =>
  drafts.map((draft) => ({
    ...given(draft),
    scopes: draft.scopes.map((scope) => ({ environment_scope: scope.name })),
  }))

type Changes = NonNullable<Params<'PUT /projects/:id/feature_flags/:feature_flag_name'>['strategies']>

/** The changes from the stored to the drafted strategies of a flag, including deletions. */
export const changed = (before: Flag, drafts: readonly DraftStrategy[]): Changes => {
  const kept = new Set(drafts.map((draft) => draft.id))
  const gone = before.strategies.filter((one) => !kept.has(one.id))
  return [
    ...gone.map(({ id }) => ({ id, _destroy: true })),
    ...drafts.map((draft) => ({
      ...(draft.id === null ? {} : { id: draft.id }),
      ...given(draft),
      scopes: changedScopes(before.strategies.find((one) => one.id === draft.id)?.scopes ?? [], draft.scopes),
    })),
  ]
}

const changedScopes = (before: Strategy['scopes'], drafts: DraftStrategy['scopes']) => {
  const kept = new Set(drafts.map((scope) => scope.id))
  return [
    ...before.filter((scope) => !kept.has(scope.id)).map(({ id }) => ({ id, _destroy: true })),
    ...drafts.filter((scope) => scope.id === null).map((scope) => ({ environment_scope: scope.name })),
  ]
}
