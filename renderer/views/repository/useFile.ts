import { computed } from 'vue'
import { apiHead } from '../../api/client.ts'
import { headKey } from '../../api/keys.ts'
import { useAnswer } from '../../api/useAnswer.ts'
import { useApi } from '../../api/useApi.ts'
import { useProject } from '../../composables/useProject.ts'
import { contentOf, contentWithoutBytes, type FileContent } from './file-content.ts'
import { rawUrl } from './refs.ts'

export type FileTarget = { ref: string; path: string }
/** The metadata of a file without its content. */
export type FileFacts = { blob_id: string; size: number; is_executable: boolean }

const ENDPOINT = 'GET /projects/:id/repository/files/:file_path'

/**
 * A file at a ref. Its headers come first; its bytes only where they are text of a sensible size. Pictures are not
 * loaded here: `raw` is their address.
 */
export const useFile = (target: () => FileTarget | null, asText: () => boolean = () => false) => {
  const project = useProject()
  const params = computed(() => {
    const at = target()
    return at && { id: project.value.id, file_path: at.path, ref: at.ref }
  })
  const head = useAnswer<FileFacts>(() => {
    const given = params.value
    if (!given) return null
    const load = async (signal: AbortSignal) => {
      const headers = await apiHead(ENDPOINT, given, { signal })
      return {
        blob_id: headers.get('x-service-blob-id') ?? '',
        size: Number(headers.get('x-service-size')),
        is_executable: headers.get('x-service-execute-filemode') === 'true',
      }
    }
    return { key: headKey(ENDPOINT, given), load }
  })
  const atOnce = computed(() => {
    const at = target()
    return at && head.data.value ? contentWithoutBytes(at.path, head.data.value.size, asText()) : null
  })
  const file = useApi(ENDPOINT, () => (head.data.value && !atOnce.value ? params.value : null))
  const content = computed<FileContent | null>(() => {
    const at = target()
    if (atOnce.value || !at || !file.data.value) return atOnce.value
    return contentOf(at.path, file.data.value.content, asText())
  })
  const raw = computed(() => {
    const at = target()
    return at ? rawUrl(project.value.path_with_namespace, at.ref, at.path) : ''
  })
  const error = computed(() => head.error.value ?? (atOnce.value ? null : file.error.value))
  return {
    facts: head.data,
    content,
    /** The id of the bytes that `content` was read from; `facts` may already know newer ones. */
    blob: computed(() => file.data.value?.blob_id ?? ''),
    raw,
    error,
    isPending: computed(() => !error.value && !content.value),
    refetch: () => Promise.all([head.refetch(), file.refetch()]),
  }
}
