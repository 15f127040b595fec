import { computed } from 'vue'
import { useApi } from '../../api/useApi.ts'
import { isFullPath } from '../../composables/paths.ts'

const isMissing = (error: { status: number } | null) => error?.status === 404 || error?.status === 401

/**
 * Finds the owner of a path. A path with a slash is a project, else a group; one without is a user, else a group. Each
 * request is made only after the one before it found nothing. Only the list of users says so without an error, which
 * browsers would log.
 */
export const usePathOwner = (fullPath: string) => {
  const usable = isFullPath(fullPath)
  const isRoot = !fullPath.includes('/')
  const project = useApi('GET /projects/:id', () =>
    usable && !isRoot ? { id: fullPath, statistics: true } : null,
  )
  const users = useApi('GET /users', () => (usable && isRoot ? { username: fullPath } : null))
  const user = computed(() => users.data.value?.[0])
  const noUser = computed(() => users.data.value?.length === 0 || users.error.value !== null)
  const noProject = computed(() => isRoot || isMissing(project.error.value))
  const group = useApi('GET /groups/:id', () =>
    usable && noProject.value && (!isRoot || noUser.value) ? { id: fullPath, with_projects: false } : null,
  )
  const isNobody = computed(() => !usable || isMissing(group.error.value))
  const error = computed(() => {
    if (project.error.value && !noProject.value && !project.data.value) return project.error.value
    return group.error.value && !isMissing(group.error.value) ? group.error.value : null
  })
  const retry = () => void (isRoot ? users.refetch() : project.refetch())

  return { project: project.data, noProject, group: group.data, user, isNobody, error, retry }
}
