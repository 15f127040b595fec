import { computed, reactive, ref, watch } from 'vue'
import { useRouter } from 'vue-router'
import { api } from '../../../api/client.ts'
import { useAction } from '../../../api/useAction.ts'
import { useApi } from '../../../api/useApi.ts'
import type { DiffEntry, DiffFile } from '../../../components/diff/diff-model.ts'
import { projectUrl } from '../../../composables/paths.ts'
import { asDraft } from '../draft.ts'
import { STALE } from '../useMergeRequest.ts'
import { propose } from './proposal.ts'
import { useBranches } from './useBranches.ts'

type Person = { id: number; name: string; username: string; avatar_url: string | null }
type Milestone = { id: number; title: string; due_date?: string | null }
/** The draft of a new merge request: branches, commits, title and description. */
export const useNewMergeRequest = () => {
  const router = useRouter()
  const branches = useBranches()
  const { sourceProject, targetProject, source, target, isWhole, isFork } = branches
  const between = () => ({
    id: sourceProject.value.id,
    from: target.value,
    to: source.value,
    ...(sourceProject.value.id === targetProject.value.id ? {} : { from_project_id: targetProject.value.id }),
  })
  const compare = useApi('GET /projects/:id/repository/compare', () => (isWhole.value ? between() : null))
  const readLines = (file: DiffFile): Promise<DiffEntry> =>
    api('GET /-/projects/:id/repository/file_diff', {
      ...between(),
      path: file.path,
      old_path: file.oldPath,
      straight: false,
    })
  /** An open merge request for the same branches. */
  const open = useApi('GET /projects/:id/merge_requests', () =>
    isWhole.value
      ? {
          id: targetProject.value.id,
          state: 'opened' as const,
          source_branch: source.value,
          target_branch: target.value,
          per_page: 20,
        }
      : null,
  )
  const twin = computed(() =>
    (open.data.value ?? []).find((one) => one.source_project_id === sourceProject.value.id),
  )

  const settings = useApi('GET /projects/:id', () => ({ id: targetProject.value.id }))
  const form = reactive({
    title: '',
    description: '',
    draft: false,
    labels: [] as string[],
    squash: false,
    remove: true,
    collaborate: true,
  })
  const assignees = ref<Person[]>([])
  const reviewers = ref<Person[]>([])
  const milestone = ref<Milestone | null>(null)
  watch(
    settings.data,
    (found) => {
      if (!found) return
      form.squash = ['always', 'default_on'].includes(String(found.squash_option))
      form.remove = found.remove_source_branch_after_merge !== false
    },
    { immediate: true },
  )
  /** The last proposal: a better one replaces it unless the user has edited it. */
  let proposed = { title: '', description: '' }
  watch(
    [compare.data, settings.data],
    ([found, target]) => {
      if (!found || !source.value) return
      const next = propose(source.value, found.commits, target?.merge_requests_template ?? null)
      if (form.title === proposed.title) form.title = next.title
      if (form.description === proposed.description) form.description = next.description
      proposed = next
    },
    { immediate: true },
  )

  const create = useAction({
    report: 'form',
    invalidates: STALE,
    run: () =>
      api('POST /projects/:id/merge_requests', {
        id: sourceProject.value.id,
        source_branch: source.value,
        target_branch: target.value,
        ...(isFork.value
          ? { target_project_id: targetProject.value.id, allow_collaboration: form.collaborate }
          : {}),
        title: form.draft ? asDraft(form.title.trim()) : form.title.trim(),
        description: form.description,
        labels: form.labels,
        assignee_ids: assignees.value.map((one) => one.id),
        reviewer_ids: reviewers.value.map((one) => one.id),
        ...(milestone.value ? { milestone_id: milestone.value.id } : {}),
        squash: form.squash,
        remove_source_branch: form.remove,
      }),
    onDone: (made) => router.replace(projectUrl(targetProject.value.path, `merge_requests/${made.iid}`)),
  })
  return {
    ...branches,
    settings: settings.data,
    compare,
    readLines,
    twin,
    form,
    assignees,
    reviewers,
    milestone,
    create,
  }
}

export type NewMergeRequest = ReturnType<typeof useNewMergeRequest>
