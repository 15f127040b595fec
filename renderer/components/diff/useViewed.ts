import { useLocalStorage } from '@vueuse/core'
import { computed, type Ref } from 'vue'
import type { DiffFile } from './diff-model.ts'

/**
 * The changed files that the user has viewed, stored in this browser. A file with a different diff no longer counts as viewed.
 * Without a key nothing is stored.
 */
export const useViewed = (key: string | null, files: Readonly<Ref<readonly DiffFile[]>>) => {
  const kept = useLocalStorage<Record<string, string>>(`deskforge.viewed.${key ?? 'none'}`, {})
  const viewed = computed<ReadonlySet<string>>(
    () =>
      new Set(
        key
          ? files.value.filter((file) => kept.value[file.path] === file.digest).map((file) => file.path)
          : [],
      ),
  )
  const setViewed = (file: DiffFile, is: boolean) => {
    const next = { ...kept.value }
    if (is) next[file.path] = file.digest
    else delete next[file.path]
    kept.value = next
  }
  return { viewed, setViewed, isOn: key !== null }
}
