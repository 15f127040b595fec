import { computed, inject, provide, type ComputedRef, type InjectionKey } from 'vue'
import { api, type Params } from '../../api/client.ts'
import { useAction } from '../../api/useAction.ts'
import { projectUrl } from '../../composables/paths.ts'
import { useAbility } from '../../composables/useAbility.ts'
import { useProject } from '../../composables/useProject.ts'
import { useSession } from '../../stores/session.ts'
import { ISSUES_STALE, type Issue } from './issue.ts'
import { t } from '../../locales/t.ts'

type Edit = Omit<Params<'PUT /projects/:id/issues/:issue_iid'>, 'id' | 'issue_iid'>

/** The shared state of the view: the issue, its permissions and its actions. */
export const makeIssue = (issue: ComputedRef<Issue>) => {
  const project = useProject()
  const session = useSession()
  const { can } = useAbility()
  const at = () => ({ id: project.value.id, issue_iid: issue.value.iid })
  const me = computed(() => session.user?.id ?? null)
  const isTheirs = computed(
    () => issue.value.author.id === me.value || issue.value.assignees.some((one) => one.id === me.value),
  )
  const mayPlan = computed(() => me.value !== null && can('admin_issue', project.value))
  const reason = computed(() => {
    if (me.value === null) return t('common.sign_in_to_comment')
    if (project.value.archived) return t('common.the_project_is_archived_comments_are')
    if (issue.value.discussion_locked && !mayPlan.value && !isTheirs.value)
      return t('issues.the_discussion_is_locked_only_project')
    return can('comment_issue', project.value) ? null : t('common.only_members_can_comment')
  })
  return {
    issue,
    project,
    at,
    me,
    /** Whether the user may set labels, milestone, assignees and dates. */
    mayPlan,
    /** Whether the user may edit its texts and its state. */
    mayEdit: computed(
      () => mayPlan.value || (me.value !== null && isTheirs.value && !project.value.archived),
    ),
    mayModerate: computed(() => can('update_project', project.value)),
    /** The reason why the user cannot comment; null if they can. */
    reason,
    edit: useAction({
      invalidates: ISSUES_STALE,
      run: (patch: Edit) => api('PUT /projects/:id/issues/:issue_iid', { ...at(), ...patch } as never),
    }),
    url: (rest: string) => projectUrl(project.value.path_with_namespace, rest),
  }
}

type Here = ReturnType<typeof makeIssue>
const HERE: InjectionKey<Here> = Symbol('issue')
/** Provides the issue to the parts of its view. */
export const provideIssue = (here: Here) => provide(HERE, here)
/** Injects the issue; only inside its view. */
export const useIssue = (): Here => {
  const here = inject(HERE)
  if (!here) throw new Error('useIssue() needs the view of an issue')
  return here
}
