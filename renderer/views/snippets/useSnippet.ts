import { computed } from 'vue'
import { useRoute } from 'vue-router'
import type { Project } from '../../api/types.ts'
import { useApi } from '../../api/useApi.ts'
import type { Snippet } from './snippet.ts'

/** The snippet that the address names; without a number there is none yet. */
export const useSnippet = (project: () => Project | undefined) => {
  const route = useRoute()
  const id = computed(() => Number(route.params['snippet_id']) || null)
  const own = useApi('GET /snippets/:id', () => (id.value !== null && !project() ? { id: id.value } : null))
  const ofProject = useApi('GET /projects/:id/snippets/:snippet_id', () => {
    const owner = project()
    return id.value !== null && owner ? { id: owner.id, snippet_id: id.value } : null
  })
  const query = computed(() => (project() ? ofProject : own))
  return {
    id,
    snippet: computed<Snippet | undefined>(() => query.value.data.value),
    error: computed(() => query.value.error.value),
    refetch: () => query.value.refetch(),
  }
}
