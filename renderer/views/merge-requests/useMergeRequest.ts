import { computed, inject, onScopeDispose, provide, watch, type ComputedRef, type InjectionKey } from 'vue'
import { api, type Item, type Params, type Result } from '../../api/client.ts'
import { useAction } from '../../api/useAction.ts'
import { useApi } from '../../api/useApi.ts'
import { accessLevel, useAbility } from '../../composables/useAbility.ts'
import { projectUrl } from '../../composables/paths.ts'
import { useProject } from '../../composables/useProject.ts'
import { useSession } from '../../stores/session.ts'
import { t } from '../../locales/t.ts'

export type MergeRequest = Result<'GET /projects/:id/merge_requests/:merge_request_iid'>
export type Person = MergeRequest['author']
export type Version = Item<'GET /projects/:id/merge_requests/:merge_request_iid/versions'>
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
  const project = useProject()
  const session = useSession()
  const { can } = useAbility()
  const at = () => ({ id: project.value.id, merge_request_iid: mr.value.iid })
  const edit = useAction({
    run: (patch: Edit) =>
      api('PUT /projects/:id/merge_requests/:merge_request_iid', { ...at(), ...patch } as never),
    invalidates: STALE,
  })
  const me = computed(() => session.user?.id ?? null)
  const isMine = computed(() => mr.value.author.id === me.value)
  const mayEdit = computed(
    () =>
      me.value !== null &&
      !project.value.archived &&
      (isMine.value ||
        mr.value.assignees.some((one) => one.id === me.value) ||
        can('update_merge_request', project.value)),
  )
  const mayComment = computed(() => {
    if (me.value === null) return t('common.sign_in_to_comment')
    if (project.value.archived) return t('common.the_project_is_archived_comments_are')
    if (mr.value.discussion_locked && !session.isAdmin && accessLevel(project.value) === 0)
      return t('merge_requests.the_discussion_is_locked_only_project')
    return can('comment_merge_request', project.value) ? null : t('common.only_members_can_comment')
  })
  return {
    mr,
    project,
    at,
    me,
    isMine,
    mayEdit,
    /** The reason why the user cannot comment; null if they can. */
    reason: mayComment,
    mayResolve: computed(
      () => me.value !== null && !project.value.archived && (mayEdit.value || isMine.value),
    ),
    mayModerate: computed(() => can('update_project', project.value)),
    edit,
    url: (rest = '') =>
      projectUrl(project.value.path_with_namespace, `merge_requests/${mr.value.iid}${rest}`),
    projectUrl: (rest: string) => projectUrl(project.value.path_with_namespace, rest),
  }
}

export type Here = ReturnType<typeof makeMergeRequest>
const HERE: InjectionKey<Here> = Symbol('merge request')
/** Provides the merge request to the parts of its view. */
export const provideMergeRequest = (here: Here) => provide(HERE, here)
/** Injects the merge request; only inside its view. */
export const useMergeRequest = (): Here => {
  const here = inject(HERE)
  if (!here) throw new Error('useMergeRequest() needs the view of a merge request')
  return here
}
