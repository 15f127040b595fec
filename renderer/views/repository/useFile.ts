import { computed } from 'vue'
import { useApi } from '../../api/useApi.ts'
import { useProject } from '../../composables/useProject.ts'
import { readContent } from './file-content.ts'
import { rawUrl } from './refs.ts'

export type FilePlace = { ref: string; path: string }

/** A file at a ref: what the server says about it, and its bytes read as text, picture or neither. */
export const useFile = (place: () => FilePlace | null, asText: () => boolean = () => false) => {
  const project = useProject()
  const file = useApi('GET /projects/:id/repository/files/:file_path', () => {
    const at = place()
    return at && { id: project.value.id, file_path: at.path, ref: at.ref }
  })
  const content = computed(() => {
    const one = file.data.value
    return one ? readContent(one.file_path, one.content, one.size, asText()) : null
  })
  const raw = computed(() => {
    const at = place()
    return at ? rawUrl(project.value.id, at.ref, at.path) : ''
  })
  return {
    file: file.data,
    content,
    raw,
    error: file.error,
    isPending: file.isPending,
    refetch: file.refetch,
  }
}
