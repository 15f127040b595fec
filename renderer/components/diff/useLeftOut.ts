import { computed, shallowRef, type Ref } from 'vue'
import { messageOf } from '../../api/errors.ts'
import { useToasts } from '../../stores/toasts.ts'
import { withLines, type DiffEntry, type DiffFile } from './diff-model.ts'
import { t } from '../../locales/t.ts'

/** Loads the lines of files that the server left out because of their number. */
export const useLeftOut = (
  files: Readonly<Ref<readonly DiffFile[]>>,
  read: () => ((file: DiffFile) => Promise<DiffEntry>) | undefined,
) => {
  const toasts = useToasts()
  const loaded = shallowRef<ReadonlyMap<string, DiffFile>>(new Map())
  const loading = shallowRef<ReadonlySet<string>>(new Set())
  const all = computed(() =>
    loaded.value.size === 0 ? files.value : files.value.map((file) => loaded.value.get(file.path) ?? file),
  )
  /** Returns true when the lines are there. */
  const load = async (file: DiffFile): Promise<boolean> => {
    const reader = read()
    if (!reader || loading.value.has(file.path)) return false
    loading.value = new Set(loading.value).add(file.path)
    try {
      loaded.value = new Map(loaded.value).set(file.path, withLines(file, await reader(file)))
      return true
    } catch (error) {
      toasts.show({
        text: t('diff.path_could_not_be_loaded_error', { path: file.path, error: messageOf(error) }),
        kind: 'bad',
      })
      return false
    } finally {
      const rest = new Set(loading.value)
      rest.delete(file.path)
      loading.value = rest
    }
  }
  return { all, loading, load }
}
