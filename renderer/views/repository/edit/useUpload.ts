import { computed, ref, shallowRef } from 'vue'
import { apiUpload } from '../../../api/upload.ts'
import { useAction } from '../../../api/useAction.ts'
import { useProject } from '../../../composables/useProject.ts'
import type { Picked } from './dropped-files.ts'
import { base64Of } from './text-bytes.ts'
import type { FileChange } from './useCommitFiles.ts'
import type { CommitTarget } from './useCommitTarget.ts'
import { t } from '../../../locales/t.ts'

/** The server takes 64 MiB in one commit, and base64 makes four bytes of three. */
export const MAX_UPLOAD_BYTES = 47 * 1024 * 1024
/** Reading is fast compared to sending, so it is a small part of the progress. */
const READ_SHARE = 0.1

/** Reads files and commits them together, telling how far it is; can be cancelled until the server has all. */
export const useUpload = (
  target: CommitTarget,
  folder: () => string,
  existing: () => ReadonlySet<string>,
) => {
  const project = useProject()
  const files = shallowRef<readonly Picked[]>([])
  const share = ref(0)
  let abort = new AbortController()

  const pathOf = (file: Picked) => (folder() ? `${folder()}/${file.path}` : file.path)
  const bytes = computed(() => files.value.reduce((sum, one) => sum + one.file.size, 0))
  const add = (more: readonly Picked[]) => {
    const known = new Map(files.value.map((one) => [one.path, one]))
    for (const one of more) known.set(one.path, one)
    files.value = [...known.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
  }
  const drop = (path: string) => {
    files.value = files.value.filter((one) => one.path !== path)
  }
  const clear = () => {
    files.value = []
    share.value = 0
  }

  const read = async (): Promise<FileChange[]> => {
    const changes: FileChange[] = []
    for (const one of files.value) {
      abort.signal.throwIfAborted()
      const content = base64Of(new Uint8Array(await one.file.arrayBuffer()))
      const file_path = pathOf(one)
      const action = existing().has(file_path) ? ('update' as const) : ('create' as const)
      changes.push({ action, file_path, content, encoding: 'base64' })
      share.value = (changes.length / files.value.length) * READ_SHARE
    }
    return changes
  }
  const upload = useAction({
    run: async (usual: string) => {
      abort = new AbortController()
      share.value = 0
      const actions = await read()
      const message = target.state.message.trim() || usual
      const params = {
        id: project.value.id,
        ...(await target.commitBranch()),
        commit_message: message,
        actions,
        stats: false,
      }
      return apiUpload('POST /projects/:id/repository/commits', params, {
        signal: abort.signal,
        onProgress: (sent) => (share.value = READ_SHARE + sent * (1 - READ_SHARE)),
      })
    },
    invalidates: ['GET /projects/:id/repository/*', 'GET /projects/:id'],
    report: 'form',
    done: () =>
      t('repository.files_committed_to_target', {
        files: t('count.files', { count: files.value.length }),
        target: target.target.value,
      }),
  })
  return { files, bytes, share, add, drop, clear, pathOf, upload, cancel: () => abort.abort() }
}
