import { computed, type Ref } from 'vue'
import { plural } from '../../composables/time.ts'
import { LEFT_OUT, NOT_SAID, type DiffFile } from './diff-model.ts'

type Known = { stats?: { additions: number; deletions: number } | null; note?: string | null }

/** The total additions and deletions of a diff, and its notices. */
export const useDiffSums = (files: Readonly<Ref<readonly DiffFile[]>>, known: Known) => ({
  added: computed(() => known.stats?.additions ?? files.value.reduce((sum, file) => sum + file.additions, 0)),
  removed: computed(
    () => known.stats?.deletions ?? files.value.reduce((sum, file) => sum + file.deletions, 0),
  ),
  said: computed(() => {
    const left = files.value.filter(
      (file) => file.remark?.endsWith(LEFT_OUT) || file.remark === NOT_SAID,
    ).length
    const sentence = left > 0 ? `${plural(left, 'file')} not counted: binary or too large.` : ''
    return [known.note, sentence].filter(Boolean).join(' ')
  }),
})
