import { computed, type Ref } from 'vue'
import { LEFT_OUT, NOT_SAID, type DiffFile } from './diff-model.ts'
import { t } from '../../locales/t.ts'

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
    const sentence =
      left > 0
        ? t('diff.files_not_counted_binary_or_too_large', { files: t('count.files', { count: left }) })
        : ''
    return [known.note, sentence].filter(Boolean).join(' ')
  }),
})
