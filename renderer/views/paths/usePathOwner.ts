import { computed } from 'vue'
import { useApi } from '../../api/useApi.ts'
import { isFullPath } from '../../composables/paths.ts'

const isMissing = (error: { status: number } | null) => error?.status === 404 || error?.status === 401

/**
 * Finds the owner of a path: a project, else a group, else (without a slash) a user. Each request is made only
 * after the one before it was answered with 404.
 */
export const usePathOwner = (fullPath: string) => {
  const usable = isFullPath(fullPath)
  const project = useApi('GET /projects/:id', () => (usable ? { id: fullPath, statistics: true } : null))
  const noProject = computed(() => isMissing(project.error.value))
  const group = useApi('GET /groups/:id', () =>
    noProject.value ? { id: fullPath, with_projects: false } : null,
  )
  const noGroup = computed(() => noProject.value && isMissing(group.error.value))
  const mayBeUser = !fullPath.includes('/')
  const users = useApi('GET /users', () => (noGroup.value && mayBeUser ? { username: fullPath } : null))

  const user = computed(() => users.data.value?.[0])
  const isNobody = computed(
    () =>
      !usable ||
      (noGroup.value &&
        (!mayBeUser || users.data.value?.length === 0 || (users.error.value?.status ?? 0) >= 400)),
  )
  const error = computed(() => {
    if (project.error.value && !noProject.value && !project.data.value) return project.error.value
    if (noProject.value && group.error.value && !isMissing(group.error.value)) return group.error.value
    return null
  })
  const retry = () => void project.refetch()

  return { project: project.data, noProject, group: group.data, user, isNobody, error, retry }
}
