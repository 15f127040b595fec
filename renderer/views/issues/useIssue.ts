import { computed, inject, provide, type ComputedRef, type InjectionKey } from 'vue'
import type { Params } from '../../api/client.ts'
import { makeIssuable, provideIssuable } from '../../components/issuable/useIssuable.ts'
import { useAbility } from '../../composables/useAbility.ts'
import { ISSUES_STALE, type Issue } from './issue.ts'

type Edit = Omit<Params<'PUT /projects/:id/issues/:issue_iid'>, 'id' | 'issue_iid'>

/** The shared state of the view: the issue, its permissions and its actions. */
export const makeIssue = (issue: ComputedRef<Issue>) => {
  const { reasonUnless, ...shared } = makeIssuable<Edit>('issue', issue, ISSUES_STALE)
  const { project, me, isTheirs } = shared
  const { can } = useAbility()
  const mayPlan = computed(() => me.value !== null && can('admin_issue', project.value))
  return {
    ...shared,
    issue,
    at: () => ({ id: project.value.id, issue_iid: issue.value.iid }),
    mayPlan,
    mayTrack: mayPlan,
    mayEdit: computed(
      () => mayPlan.value || (me.value !== null && isTheirs.value && !project.value.archived),
    ),
    reason: reasonUnless(() => mayPlan.value || isTheirs.value),
  }
}

type Here = ReturnType<typeof makeIssue>
const HERE: InjectionKey<Here> = Symbol('issue')
/** Provides the issue to the parts of its view. */
export const provideIssue = (here: Here) => {
  provideIssuable(here)
  provide(HERE, here)
}
/** Injects the issue; only inside its view. */
export const useIssue = (): Here => {
  const here = inject(HERE)
  if (!here) throw new Error('useIssue() needs the view of an issue')
  return here
}
