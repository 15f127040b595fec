import { computed, shallowRef, type Ref } from 'vue'
import { useToasts } from '../../stores/toasts.ts'
import { messageOf } from '../../api/errors.ts'
import { gapAbove, grow, GROW_STEP, type Grown } from './lines/diff-grow.ts'
import type { DiffFile } from './diff-model.ts'
import { t } from '../../locales/t.ts'

const CONTEXT = 3

/** Whether the file surely ends with its last hunk: git shows fewer than three unchanged lines only there. */
const reachesEnd = (file: DiffFile): boolean => {
  const lines = file.hunks.at(-1)?.lines ?? []
  return lines.slice(-CONTEXT).some((line) => line.kind !== 'context' || line.noNewline) || lines.length === 0
}

/** Unchanged lines around the hunks, loaded on request. Not available without `read`. */
export const useGrown = (
  files: Readonly<Ref<readonly DiffFile[]>>,
  read: (() => ((file: DiffFile) => Promise<string>) | undefined) | undefined,
) => {
  const all = shallowRef<ReadonlyMap<string, Grown>>(new Map())
  const toasts = useToasts()
  const shown = computed(() =>
    all.value.size === 0
      ? files.value
      : files.value.map((file) => {
          const grown = all.value.get(file.path)
          return grown ? grow(file, grown) : file
        }),
  )

  const canGrow = (file: DiffFile, at: number): boolean => {
    if (!read?.() || file.change === 'added' || file.change === 'deleted') return false
    const before = files.value[file.index]
    const grown = all.value.get(file.path)
    if (!before) return false
    if (at < before.hunks.length) return gapAbove(before, at) > (grown?.above.get(at) ?? 0)
    if (reachesEnd(before)) return false
    const last = before.hunks.at(-1)
    return !grown || (last ? last.newStart + last.newCount - 1 + grown.below < grown.lines.length : false)
  }

  const more = async (file: DiffFile, at: number) => {
    const before = files.value[file.index]
    const reader = read?.()
    if (!before || !reader) return
    try {
      const known = all.value.get(file.path)
      const lines = known?.lines ?? (await reader(file)).replace(/\n$/, '').split('\n')
      const above = new Map(known?.above)
      let below = known?.below ?? 0
      if (at >= before.hunks.length) below += GROW_STEP
      else {
        const wanted = (above.get(at) ?? 0) + GROW_STEP
        const gap = gapAbove(before, at)
        // A few remaining lines are shown without another click.
        above.set(at, gap - wanted < GROW_STEP / 2 ? gap : wanted)
      }
      all.value = new Map(all.value).set(file.path, { lines, above, below })
    } catch (error) {
      toasts.show({
        text: t('diff.the_rest_of_path_could_not_be_read', { path: file.path, error: messageOf(error) }),
        kind: 'bad',
      })
    }
  }
  return { shown, canGrow, more }
}
