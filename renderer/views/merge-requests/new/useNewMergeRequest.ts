import { computed, reactive, ref, watch } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import { api } from '../../../api/client.ts'
import { useAction } from '../../../api/useAction.ts'
import { useApi } from '../../../api/useApi.ts'
import { projectUrl } from '../../../composables/paths.ts'
import { useProject } from '../../../composables/useProject.ts'
import { asDraft } from '../draft.ts'
import { STALE } from '../useMergeRequest.ts'
import { propose } from './proposal.ts'

type Person = { id: number; name: string; username: string; avatar_url: string | null }
type Milestone = { id: number; title: string; due_date?: string | null }
const KEYS = {
  source: 'merge_request[source_branch]',
  target: 'merge_request[target_branch]',
  sourceProject: 'merge_request[source_project_id]',
  targetProject: 'merge_request[target_project_id]',
} as const

/** A merge request in the making: from where to where, what that brings, and what is said about it. */
export const useNewMergeRequest = () => {
  const project = useProject()
  const route = useRoute()
  const router = useRouter()
  const asked = (key: string) => {
    const value = route.query[key]
    return typeof value === 'string' && value ? value : null
  }
  const upstream = computed(() => project.value.forked_from_project ?? null)
  const forks = useApi('GET /projects/:id/forks', () => ({
    id: project.value.id,
    membership: true,
    min_access_level: 30,
    simple: true,
    per_page: 50,
  }))
  const own = computed(() => ({
    id: project.value.id,
    path: project.value.path_with_namespace,
    branch: project.value.default_branch ?? null,
  }))
  const sources = computed(() => [
    own.value,
    ...(forks.data.value ?? []).map((fork) => ({
      id: fork.id,
      path: fork.path_with_namespace,
      branch: fork.default_branch ?? null,
    })),
  ])
  const targets = computed(() => [
    ...(upstream.value
      ? [
          {
            id: upstream.value.id,
            path: upstream.value.path_with_namespace,
            branch: upstream.value.default_branch ?? null,
          },
        ]
      : []),
    own.value,
  ])
  const sourceProject = computed(() => {
    const id = Number(asked(KEYS.sourceProject))
    return sources.value.find((one) => one.id === id) ?? own.value
  })
  const targetProject = computed(() => {
    const id = Number(asked(KEYS.targetProject))
    const isElsewhere = sourceProject.value.id !== own.value.id
    if (isElsewhere) return own.value
    return targets.value.find((one) => one.id === id) ?? targets.value[0] ?? own.value
  })
  const source = computed(() => asked(KEYS.source) ?? '')
  const target = computed(() => asked(KEYS.target) ?? targetProject.value.branch ?? '')
  const go = (patch: Partial<Record<keyof typeof KEYS, string | number | null>>) => {
    const query = { ...route.query }
    for (const [name, value] of Object.entries(patch)) {
      const key = KEYS[name as keyof typeof KEYS]
      if (value === null) delete query[key]
      else query[key] = String(value)
    }
    void router.replace({ path: route.path, query })
  }

  const isSame = computed(
    () => source.value === target.value && sourceProject.value.id === targetProject.value.id,
  )
  const isWhole = computed(() => source.value !== '' && target.value !== '' && !isSame.value)
  const compare = useApi('GET /projects/:id/repository/compare', () =>
    isWhole.value
      ? {
          id: sourceProject.value.id,
          from: target.value,
          to: source.value,
          ...(sourceProject.value.id === targetProject.value.id
            ? {}
            : { from_project_id: targetProject.value.id }),
        }
      : null,
  )
  /** One that is open already for the same branches. */
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
  /** What was proposed last: as long as nobody changed it, a better proposal takes its place. */
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

  const isFork = computed(() => sourceProject.value.id !== targetProject.value.id)
  const create = useAction({
    tell: 'form',
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
    project,
    sources,
    targets,
    sourceProject,
    targetProject,
    settings: settings.data,
    source,
    target,
    go,
    isSame,
    isWhole,
    isFork,
    compare,
    twin,
    form,
    assignees,
    reviewers,
    milestone,
    create,
  }
}

export type NewMergeRequest = ReturnType<typeof useNewMergeRequest>
