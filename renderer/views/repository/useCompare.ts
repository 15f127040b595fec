import { computed } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import { useApi } from '../../api/useApi.ts'
import { projectUrl } from '../../composables/paths.ts'
import { useProject } from '../../composables/useProject.ts'
import { comparePath, readCompare } from './refs.ts'

/**
 * Compares two versions. The address contains both: three dots compare the second with its merge base with
 * the first, two dots compare the versions as they are.
 */
export const useCompare = () => {
  const route = useRoute()
  const router = useRouter()
  const project = useProject()
  const asked = computed(() => {
    const rest = [route.params.rest ?? ''].flat().join('/')
    return readCompare(rest, project.value.default_branch ?? '')
  })
  const isWhole = computed(() => asked.value.from !== '' && asked.value.to !== '')
  const isSame = computed(() => isWhole.value && asked.value.from === asked.value.to)
  const params = computed(() => (isWhole.value && !isSame.value ? asked.value : null))

  const base = useApi('GET /projects/:id/repository/merge_base', () =>
    params.value ? { id: project.value.id, refs: [params.value.from, params.value.to] } : null,
  )
  const isApart = computed(() => base.error.value?.status === 404)
  const compare = useApi('GET /projects/:id/repository/compare', () =>
    params.value ? { id: project.value.id, ...params.value } : null,
  )

  const go = (patch: Partial<{ from: string; to: string; straight: boolean }>) => {
    const { from, to, straight } = { ...asked.value, ...patch }
    const path = projectUrl(project.value.path_with_namespace, comparePath(from, to, straight))
    void router.push({ path, query: route.query })
  }
  const swap = () => go({ from: asked.value.to, to: asked.value.from })
  return { asked, isWhole, isSame, isApart, base, compare, go, swap }
}
