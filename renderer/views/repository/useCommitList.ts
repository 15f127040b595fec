import { computed } from 'vue'
import type { Commit } from '../../api/schema.gen.ts'
import { usePage } from '../../api/usePage.ts'
import { useProject } from '../../composables/useProject.ts'
import type { RefPath } from './refs.ts'

export const COMMITS_PER_PAGE = 40

/** The history of a ref or of a path in it; with a search, the commits of the ref with a matching message. */
export const useCommitList = (
  target: () => RefPath | null,
  state: () => { search: string; page: number },
) => {
  const project = useProject()
  const paging = () => ({ id: project.value.id, page: state().page, per_page: COMMITS_PER_PAGE })
  const at = computed(() => (project.value.empty_repo ? null : target()))
  const isSearch = computed(() => state().search.trim() !== '' && at.value?.path === '')

  const history = usePage('GET /projects/:id/repository/commits', () =>
    at.value && !isSearch.value
      ? { ...paging(), ref_name: at.value.ref, path: at.value.path || undefined }
      : null,
  )
  const found = usePage('GET /projects/:id/search', () =>
    at.value && isSearch.value
      ? { ...paging(), scope: 'commits', search: state().search, ref: at.value.ref }
      : null,
  )
  const list = computed(() => (isSearch.value ? found : history))
  return { isSearch, list, items: computed(() => list.value.items.value as Commit[]) }
}
