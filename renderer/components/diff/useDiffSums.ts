import { computed, type Ref } from 'vue'
import type { DiffFile } from './diff-model.ts'

type Known = { stats?: { additions: number; deletions: number } | null }

/** The total additions and deletions of a diff. */
export const useDiffSums = (files: Readonly<Ref<readonly DiffFile[]>>, known: Known) => ({
  added: computed(() => known.stats?.additions ?? files.value.reduce((sum, file) => sum + file.additions, 0)),
  removed: computed(
    () => known.stats?.deletions ?? files.value.reduce((sum, file) => sum + file.deletions, 0),
  ),
})
