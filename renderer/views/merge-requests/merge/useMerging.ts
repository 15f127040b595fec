import { computed, reactive, watch } from 'vue'
import { useQueryCache } from '@pinia/colada'
import { api } from '../../../api/client.ts'
import { readKey } from '../../../api/keys.ts'
import { useAction } from '../../../api/useAction.ts'
import { threadState, injectComments } from '../../../components/discussion/useComments.ts'
import { asReady } from '../draft.ts'
import { STALE, useMergeRequest } from '../useMergeRequest.ts'
import { useSource } from '../useSource.ts'
import { isChecking, linesBefore, type MergeState } from './obstacles.ts'
import { useApprovals } from './useApprovals.ts'
import { useChecks } from './useChecks.ts'
import { t } from '../../../locales/t.ts'

/** The state of the merge box: obstacles, selected options and actions. */
export const useMerging = () => {
  const here = useMergeRequest()
  const { mr, project, at } = here
  const comments = injectComments()
  const cache = useQueryCache()
  /** The page shows the answer of the merge immediately; stale data is reloaded afterwards. */
  const show = (result: Partial<typeof mr.value>) => {
    for (const entry of cache.getEntries()) {
      const { endpoint, params } = readKey(entry.key) ?? {}
      if (endpoint !== 'GET /projects/:id/merge_requests/:merge_request_iid') continue
      if (params?.['merge_request_iid'] === mr.value.iid && params['id'] === project.value.id)
        cache.setQueryData(entry.key, { ...mr.value, ...result })
    }
  }
  const source = useSource(mr)
  const { approvals, state } = useApprovals()
  const checks = useChecks()
  const open = computed(() => comments.discussions.value.filter((one) => threadState(one) === 'open'))
  /** Rules that are not met yet. */
  const missing = computed(() =>
    (state.value?.rules ?? [])
      .filter((rule) => rule.approvals_required > rule.approved_by.length)
      .map((rule) => ({
        name: rule.rule_type === 'any_approver' ? '' : rule.name,
        left: rule.approvals_required - rule.approved_by.length,
        who: rule.eligible_approvers.filter((one) => !rule.approved_by.some((other) => other.id === one.id)),
      })),
  )
  const facts = computed<MergeState>(() => ({
    detailed: mr.value.detailed_merge_status,
    mergeStatus: mr.value.merge_status,
    draft: mr.value.draft,
    target: mr.value.target_branch,
    source: mr.value.source_branch,
    isSourceGone: source.isGone.value,
    changes: mr.value.changes_count,
    behind: mr.value.diverged_commits_count ?? null,
    mayEdit: here.mayEdit.value,
    mayMerge: mr.value.user.can_merge,
    mayApprove: approvals.value?.user_can_approve === true,
    approvalsLeft: (approvals.value as { approvals_left?: number } | undefined)?.approvals_left ?? 0,
    rules: missing.value,
    isAsked:
      missing.value.every((rule) => rule.who.length === 0) ||
      missing.value.some((rule) => rule.who.some((one) => one.id === here.me.value)),
    reviewers: mr.value.reviewers.map((one) => one.id),
    openThreads: open.value.length,
    // Anonymous users do not get the settings, only the resulting merge status.
    threadsBlock:
      project.value.only_allow_merge_if_all_discussions_are_resolved === true ||
      mr.value.detailed_merge_status === 'discussions_not_resolved',
    checks: checks.state.value,
    checksBlock:
      project.value.only_allow_merge_if_pipeline_succeeds === true ||
      mr.value.detailed_merge_status.startsWith('ci_'),
    mustBeOnTop: ['ff', 'rebase_merge'].includes(String(project.value.merge_method)),
  }))
  const lines = computed(() => linesBefore(facts.value))

  const choice = reactive({ squash: false, remove: false, message: '', squashMessage: '', isEditing: false })
  watch(
    mr,
    (now, before) => {
      if (before?.id === now.id && before.squash === now.squash) return
      const option = project.value.squash_option
      choice.squash = option === 'always' || (option !== 'never' && (now.squash || option === 'default_on'))
      choice.remove =
        now.force_remove_source_branch ?? project.value.remove_source_branch_after_merge === true
    },
    { immediate: true },
  )
  const messages = () => ({
    ...(choice.isEditing && choice.message.trim() ? { merge_commit_message: choice.message } : {}),
    ...(choice.isEditing && choice.squash && choice.squashMessage.trim()
      ? { squash_commit_message: choice.squashMessage }
      : {}),
  })
  const merge = useAction({
    report: 'form',
    run: (whenReady: boolean) =>
      api('PUT /projects/:id/merge_requests/:merge_request_iid/merge', {
        ...at(),
        ...(mr.value.sha ? { sha: mr.value.sha } : {}),
        squash: choice.squash,
        should_remove_source_branch: choice.remove,
        ...(whenReady ? { merge_when_pipeline_succeeds: true } : {}),
        ...messages(),
      }),
    invalidates: [...STALE, 'GET /projects/:id/repository/*'],
    onDone: (result) => show(result),
    done: (result) =>
      result.state === 'merged'
        ? t('merge_requests.iid_merged', { iid: mr.value.iid })
        : t('merge_requests.auto_merge_is_on'),
  })
  const cancel = useAction({
    run: () =>
      api('POST /projects/:id/merge_requests/:merge_request_iid/cancel_merge_when_pipeline_succeeds', at()),
    invalidates: STALE,
    done: t('merge_requests.auto_merge_is_off'),
  })
  const rebase = useAction({
    run: () => api('PUT /projects/:id/merge_requests/:merge_request_iid/rebase', at()),
    onDone: () => show({ rebase_in_progress: true }),
    invalidates: STALE,
  })
  const ready = () => here.edit.run({ title: asReady(mr.value.title) })
  const ask = (user: number) =>
    here.edit.run({ reviewer_ids: [...mr.value.reviewers.map((one) => one.id), user] })
  return {
    facts,
    lines,
    isChecking: computed(() => isChecking(facts.value)),
    firstOpen: computed(() => open.value[0] ?? null),
    choice,
    merge,
    cancel,
    rebase,
    ready,
    ask,
    source,
    checks,
  }
}
