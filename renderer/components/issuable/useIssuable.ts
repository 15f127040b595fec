import { computed, inject, provide, type ComputedRef, type InjectionKey } from 'vue'
import type { Params, Result } from '../../api/client.ts'
import { useAction } from '../../api/useAction.ts'
import { projectUrl } from '../../composables/paths.ts'
import { useAbility } from '../../composables/useAbility.ts'
import { useProject } from '../../composables/useProject.ts'
import { useSession } from '../../stores/session.ts'
import { targetApi, type DiscussionTarget } from '../discussion/target.ts'
import { t } from '../../locales/t.ts'

/** An issue or a merge request. */
export type Issuable =
  | Result<'GET /projects/:id/issues/:issue_iid'>
  | Result<'GET /projects/:id/merge_requests/:merge_request_iid'>
type IssueEdit = Params<'PUT /projects/:id/issues/:issue_iid'>
type MergeRequestEdit = Params<'PUT /projects/:id/merge_requests/:merge_request_iid'>
type SharedEdit = Pick<
  IssueEdit & MergeRequestEdit,
  'assignee_ids' | 'description' | 'labels' | 'milestone_id' | 'state_event'
>

/** The state and the actions that the views of an issue and of a merge request share. */
export const makeIssuable = <Edit extends object>(
  kind: 'issue' | 'merge_request',
  item: ComputedRef<Issuable>,
  /** Answers that are stale after a change. */
  stale: readonly string[],
) => {
  const project = useProject()
  const session = useSession()
  const { can } = useAbility()
  const me = computed(() => session.user?.id ?? null)
  const target = (): DiscussionTarget => ({
    kind: `${kind}s`,
    id: project.value.id,
    path: project.value.path_with_namespace,
    iid: item.value.iid,
  })
  return {
    kind,
    item,
    stale,
    project,
    me,
    target,
    /** Whether the user is the author or an assignee. */
    isTheirs: computed(
      () => item.value.author.id === me.value || item.value.assignees.some((one) => one.id === me.value),
    ),
    mayModerate: computed(() => can('update_project', project.value)),
    /** The reason why the user cannot comment; null if they can. Members may comment on a locked discussion. */
    reasonUnless: (isMember: () => boolean) =>
      computed(() => {
        if (me.value === null) return t('common.sign_in_to_comment')
        if (project.value.archived) return t('common.the_project_is_archived_comments_are')
        if (item.value.discussion_locked && !isMember())
          return t('issuable.the_discussion_is_locked_only_project')
        return can(`comment_${kind}`, project.value) ? null : t('common.only_members_can_comment')
      }),
    edit: useAction({
      invalidates: stale,
      run: (patch: Edit) => targetApi<Issuable>(target(), 'PUT', '', patch),
    }),
    projectUrl: (rest: string) => projectUrl(project.value.path_with_namespace, rest),
  }
}

type Here = Omit<ReturnType<typeof makeIssuable<SharedEdit>>, 'reasonUnless'> & {
  /** Whether the user may set labels, milestone and assignees. */
  mayPlan: ComputedRef<boolean>
  /** Whether the user may edit its texts and its state. */
  mayEdit: ComputedRef<boolean>
  /** Whether the user may set its estimate and spent time. */
  mayTrack: ComputedRef<boolean>
  reason: ComputedRef<string | null>
}
const HERE: InjectionKey<Here> = Symbol('issuable')
/** Provides the issue or merge request to the parts that both views have. */
export const provideIssuable = (here: Here) => provide(HERE, here)
/** Injects the issue or merge request; only inside its view. */
export const useIssuable = (): Here => {
  const here = inject(HERE)
  if (!here) throw new Error('useIssuable() needs the view of an issue or a merge request')
  return here
}
