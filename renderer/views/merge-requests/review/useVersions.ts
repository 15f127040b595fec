import { computed } from 'vue'
import { api, type Result } from '../../../api/client.ts'
import { useAnswer } from '../../../api/useAnswer.ts'
import { useApi } from '../../../api/useApi.ts'
import { useUrlState } from '../../../composables/useUrlState.ts'
import { useMergeRequest } from '../useMergeRequest.ts'
import type { Refs } from './comment-lines.ts'
import { t } from '../../../locales/t.ts'

const ONE = 'GET /projects/:id/merge_requests/:merge_request_iid/versions/:version_id'

/**
 * The shown version and its base: the target branch or an older version. Stored in the URL, except for the newest version
 * against the target branch.
 */
export const useVersions = () => {
  const { mr, at, project } = useMergeRequest()
  const { state, set } = useUrlState({ diff_id: 0, start_sha: '' })
  const versions = useApi('GET /projects/:id/merge_requests/:merge_request_iid/versions', () => ({
    ...at(),
    per_page: 100,
  }))
  const list = computed(() => versions.data.value ?? [])
  const shown = computed(
    () => list.value.find((one) => one.id === state.value.diff_id) ?? list.value[0] ?? null,
  )
  const against = computed(
    () =>
      list.value.find((one) => one.head_commit_sha === state.value.start_sha && one.id !== shown.value?.id) ??
      null,
  )
  const isLatest = computed(() => shown.value?.id === list.value[0]?.id)
  const numberOf = (id: number) => list.value.length - list.value.findIndex((one) => one.id === id)

  /** A version never changes and is never stale, so its cache key has no endpoint. */
  const version = useAnswer<Result<typeof ONE>>(
    () => {
      if (!shown.value || against.value) return null
      const given = { ...at(), version_id: shown.value.id }
      return {
        key: ['version of a merge request', project.value.id, mr.value.iid, given.version_id],
        load: (signal) => api(ONE, given, { signal }),
      }
    },
    { staleTime: Infinity },
  )
  const between = useApi('GET /projects/:id/repository/compare', () =>
    shown.value && against.value
      ? {
          id: project.value.id,
          from: against.value.head_commit_sha,
          to: shown.value.head_commit_sha,
          straight: true,
        }
      : null,
  )
  const diffs = computed(
    () => (against.value ? between.data.value?.diffs : version.data.value?.diffs) ?? null,
  )
  const refs = computed<Refs | null>(() => {
    const now = shown.value
    if (!now) return null
    if (against.value)
      return {
        base_sha: against.value.head_commit_sha,
        start_sha: against.value.head_commit_sha,
        head_sha: now.head_commit_sha,
      }
    return {
      base_sha: now.base_commit_sha ?? now.start_commit_sha,
      start_sha: now.start_commit_sha,
      head_sha: now.head_commit_sha,
    }
  })
  const word = (id: number) => `v${numberOf(id)}`
  const choices = computed(() =>
    list.value.map((one, index) => ({
      value: one.id,
      label: index === 0 ? t('merge_requests.latest_id', { id: word(one.id) }) : word(one.id),
    })),
  )
  const bases = computed(() => [
    { value: 0, label: mr.value.target_branch },
    ...list.value
      .filter((one) => one.id < (shown.value?.id ?? 0))
      .map((one) => ({ value: one.id, label: word(one.id) })),
  ])
  return {
    list,
    shown,
    against,
    isLatest,
    diffs,
    refs,
    choices,
    bases,
    version: computed({
      get: () => shown.value?.id ?? 0,
      set: (id: number) => set({ diff_id: id === list.value[0]?.id ? 0 : id, start_sha: '' }),
    }),
    base: computed({
      get: () => against.value?.id ?? 0,
      set: (id: number) => set({ start_sha: list.value.find((one) => one.id === id)?.head_commit_sha ?? '' }),
    }),
    error: computed(() => versions.error.value ?? version.error.value ?? between.error.value),
    isPending: computed(() => versions.isPending.value || (list.value.length > 0 && diffs.value === null)),
    refetch: () => {
      void versions.refetch()
      void (against.value ? between : version).refetch()
    },
  }
}
