import { useLocalStorage } from '@vueuse/core'
import { computed, type Ref } from 'vue'
import type { DiffFile } from './diff-model.ts'

/**
 * Which changed files somebody has looked at, kept in this window. A file whose change became another one is not
 * viewed any more. Without a key nothing is kept and nothing counts as viewed.
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
