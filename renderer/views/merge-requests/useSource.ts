import { computed, type ComputedRef } from 'vue'
import { useApi } from '../../api/useApi.ts'
import { useBranch } from '../../api/useBranch.ts'
import { projectUrl } from '../../composables/paths.ts'
import type { MergeRequest } from './useMergeRequest.ts'

/** The source of a merge request: the project itself, a fork, or a deleted fork. */
export const useSource = (mr: ComputedRef<MergeRequest>) => {
  const isFork = computed(() => mr.value.source_project_id !== mr.value.target_project_id)
  const projectId = computed(() => mr.value.source_project_id)
  const project = useApi('GET /projects/:id', () =>
    projectId.value === null ? null : { id: projectId.value },
  )
  const branch = useBranch(() =>
    projectId.value === null ? null : { id: projectId.value, name: mr.value.source_branch },
  )
  const path = computed(() => project.data.value?.path_with_namespace ?? null)
  const isGone = computed(() => projectId.value === null || branch.isMissing.value)
  return {
    isFork,
    isGone,
    branch: branch.data,
    project: project.data,
    name: computed(() =>
      isFork.value && path.value ? `${path.value}:${mr.value.source_branch}` : mr.value.source_branch,
    ),
    to: computed(() =>
      path.value && !isGone.value ? projectUrl(path.value, `tree/${mr.value.source_branch}`) : null,
    ),
  }
}
