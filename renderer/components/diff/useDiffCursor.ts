import { computed, shallowRef, watch, type Ref } from 'vue'
import { useShortcuts } from '../../composables/useShortcuts.ts'
import type { DiffFile, DiffLine } from './diff-model.ts'
import type { DiffRow } from './diff-rows.ts'
import { t } from '../../locales/t.ts'

type Place = { index: number; file: DiffFile; line: DiffLine }

const isChange = (line: DiffLine | null): line is DiffLine => line !== null && line.kind !== 'context'

/** The changed lines in reading sequence: in a side-by-side row the old line comes first. */
const placesOf = (rows: readonly DiffRow[]): Place[] =>
  rows.flatMap((row, index) => {
    const { file } = row
    if (row.kind === 'unified') return isChange(row.line) ? [{ index, file, line: row.line }] : []
    if (row.kind !== 'split') return []
    return [row.left, row.right].filter(isChange).map((line) => ({ index, file, line }))
  })

/** A line of the diff that is chosen with the keyboard, from change to change; `c` comments it. */
export const useDiffCursor = (options: {
  isOn: () => boolean
  keys: { next: string; before: string }
  rows: Readonly<Ref<readonly DiffRow[]>>
  /** The row at the upper edge, where the first step begins. */
  top: () => number
  /** The line below the pointer, used if no line is selected. */
  hovered: () => { file: DiffFile; line: DiffLine } | null
  reveal: (index: number) => void
  take: (file: DiffFile, line: DiffLine) => void
}) => {
  const chosen = shallowRef<DiffLine | null>(null)
  const places = computed(() => (options.isOn() ? placesOf(options.rows.value) : []))
  const at = computed(() => places.value.findIndex((place) => place.line === chosen.value))
  watch(options.rows, () => {
    if (at.value < 0) chosen.value = null
  })

  const move = (step: number) => {
    const list = places.value
    if (list.length === 0) return
    const from = at.value >= 0 ? at.value + step : list.findIndex((place) => place.index >= options.top())
    const next = list[Math.max(0, Math.min(list.length - 1, from))]
    if (!next) return
    chosen.value = next.line
    options.reveal(next.index)
  }
  const take = () => {
    const place = places.value[at.value] ?? options.hovered()
    if (place) options.take(place.file, place.line)
    else move(1)
  }
  const group = t('common.changes')
  const keys = [
    { keys: options.keys.next, label: t('diff.next_changed_line'), group, run: () => move(1) },
    { keys: options.keys.before, label: t('diff.previous_changed_line'), group, run: () => move(-1) },
    { keys: 'c', label: t('diff.comment_on_line'), group, run: take },
  ]
  useShortcuts(options.isOn() ? keys : [])
  return chosen
}
