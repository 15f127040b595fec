import { computed, inject, onScopeDispose, provide, watch, type ComputedRef, type InjectionKey } from 'vue'
import type { Params, Result } from '../../api/client.ts'
import { useApi } from '../../api/useApi.ts'
import { makeIssuable, provideIssuable } from '../../components/issuable/useIssuable.ts'
import { accessLevel, useAbility } from '../../composables/useAbility.ts'
import { useProject } from '../../composables/useProject.ts'
import { useSession } from '../../stores/session.ts'

export type MergeRequest = Result<'GET /projects/:id/merge_requests/:merge_request_iid'>
export type Person = MergeRequest['author']
type Edit = Omit<Params<'PUT /projects/:id/merge_requests/:merge_request_iid'>, 'id' | 'merge_request_iid'>

/** Answers that are stale after a change of a merge request. */
export const STALE = [
  'GET /projects/:id/merge_requests*',
  'GET /merge_requests*',
  'GET /groups/:id/merge_requests',
  'GET /projects/:id/repository/branches*',
  'GET /todos*',
]
const FIRST_POLL_MS = 1500
const LAST_POLL_MS = 60_000

/** Whether the mergeability check or another operation is running. */
const isSettling = (mr: MergeRequest) =>
  mr.state === 'locked' ||
  (mr.state === 'opened' &&
    (['checking', 'unchecked', 'preparing'].includes(mr.detailed_merge_status) ||
      mr.merge_status === 'checking' ||
      mr.rebase_in_progress === true ||
      mr.diff_refs === null))

/** One merge request, polled while its mergeability is checked; live events update it otherwise. */
export const useLoadMergeRequest = (iid: () => number) => {
  const project = useProject()
  const query = useApi(
    'GET /projects/:id/merge_requests/:merge_request_iid',
    () => ({
      id: project.value.id,
      merge_request_iid: iid(),
      include_diverged_commits_count: true,
      include_rebase_in_progress: true,
    }),
    { keepPrevious: true },
  )
  let timer: ReturnType<typeof setTimeout> | undefined
  let delay = FIRST_POLL_MS
  watch(
    [query.data, iid],
    ([mr, now], [, before]) => {
      clearTimeout(timer)
      if (now !== before || !mr || !isSettling(mr)) delay = FIRST_POLL_MS
      if (!mr || !isSettling(mr)) return
      timer = setTimeout(() => void query.refetch(), delay)
      delay = Math.min(LAST_POLL_MS, delay * 1.5)
    },
    { immediate: true },
  )
  onScopeDispose(() => clearTimeout(timer))
  return query
}

/** The shared state of the view: the merge request, its permissions and its actions. */
export const makeMergeRequest = (mr: ComputedRef<MergeRequest>) => {
  const { reasonUnless, ...shared } = makeIssuable<Edit>('merge_request', mr, STALE)
  const { project, me, isTheirs, projectUrl } = shared
  const session = useSession()
  const { can } = useAbility()
  const mayTrack = computed(() => can('update_merge_request', project.value))
  const mayEdit = computed(
    () => me.value !== null && !project.value.archived && (isTheirs.value || mayTrack.value),
  )
  return {
    ...shared,
    mr,
    at: () => ({ id: project.value.id, merge_request_iid: mr.value.iid }),
    mayEdit,
    mayPlan: mayEdit,
    mayTrack,
    reason: reasonUnless(() => session.isAdmin || accessLevel(project.value) > 0),
    mayResolve: mayEdit,
    url: (rest = '') => projectUrl(`merge_requests/${mr.value.iid}${rest}`),
  }
}

export type Here = ReturnType<typeof makeMergeRequest>
const HERE: InjectionKey<Here> = Symbol('merge request')
/** Provides the merge request to the parts of its view. */
export const provideMergeRequest = (here: Here) => {
  provideIssuable(here)
  provide(HERE, here)
}
/** Injects the merge request; only inside its view. */
export const useMergeRequest = (): Here => {
  const here = inject(HERE)
  if (!here) throw new Error('useMergeRequest() needs the view of a merge request')
  return here
}
