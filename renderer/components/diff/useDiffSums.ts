import { computed, type Ref } from 'vue'
import { plural } from '../../composables/time.ts'
import { LEFT_OUT, type DiffFile } from './diff-model.ts'

type Known = { stats?: { additions: number; deletions: number } | null; note?: string | null }

/** What a whole change adds and removes, and what has to be said about it. */
export const useDiffSums = (files: Readonly<Ref<readonly DiffFile[]>>, known: Known) => ({
  added: computed(() => known.stats?.additions ?? files.value.reduce((sum, file) => sum + file.additions, 0)),
  removed: computed(
    () => known.stats?.deletions ?? files.value.reduce((sum, file) => sum + file.deletions, 0),
  ),
  said: computed(() => {
    const left = files.value.filter((file) => file.remark?.endsWith(LEFT_OUT)).length
    const sentence =
      left > 0 ? `${plural(left, 'file')} without lines: binary, or beyond the limits of one answer.` : ''
    return [known.note, sentence].filter(Boolean).join(' ')
  }),
})
