import { computed, shallowRef, watch, type Ref } from 'vue'
import { useShortcuts } from '../../composables/useShortcuts.ts'
import type { DiffFile, DiffLine } from './diff-model.ts'
import type { DiffRow } from './diff-rows.ts'
import { linesBetween } from './useDiffPicking.ts'
import { t } from '../../locales/t.ts'

type Place = { index: number; file: DiffFile; line: DiffLine }

const isChange = (place: Place): boolean => place.line.kind !== 'context'

/** The lines in reading sequence: in a side-by-side row the old line comes first. */
const placesOf = (rows: readonly DiffRow[], fits: (line: DiffLine) => boolean): Place[] =>
  rows.flatMap((row, index) => {
    const { file } = row
    if (row.kind === 'unified') return fits(row.line) ? [{ index, file, line: row.line }] : []
    if (row.kind !== 'split') return []
    // An unchanged line is the same one on both sides.
    const lines = row.left === row.right ? [row.left] : [row.left, row.right]
    return lines.filter((line) => line !== null && fits(line)).map((line) => ({ index, file, line: line! }))
  })

/**
 * The line of the diff that the keyboard is at. One pair of keys moves from change to change, the arrows move by a line,
 * with Shift they select several lines, and `c` comments on them.
 */
export const useDiffCursor = (options: {
  isOn: () => boolean
  keys: { next: string; before: string }
  rows: Readonly<Ref<readonly DiffRow[]>>
  /** Whether a line can be commented on. */
  fits: (line: DiffLine) => boolean
  /** The row at the upper edge, where the first step begins. */
  top: () => number
  /** The line below the pointer, used if no line is selected. */
  hovered: () => { file: DiffFile; line: DiffLine } | null
  reveal: (index: number) => void
  take: (file: DiffFile, last: DiffLine, first: DiffLine) => void
}) => {
  const chosen = shallowRef<DiffLine | null>(null)
  /** The other end of the selection; null if it is a single line. */
  const anchor = shallowRef<DiffLine | null>(null)
  const places = computed(() => (options.isOn() ? placesOf(options.rows.value, options.fits) : []))
  const at = computed(() => places.value.findIndex((place) => place.line === chosen.value))
  const leave = () => {
    chosen.value = null
    anchor.value = null
  }
  watch(options.rows, () => {
    if (chosen.value && at.value < 0) leave()
  })
  const lines = computed<ReadonlySet<DiffLine>>(() => {
    const place = chosen.value ? places.value[at.value] : undefined
    return new Set(place && anchor.value ? linesBetween(place.file, anchor.value, place.line) : [])
  })

  const choose = (place: Place) => {
    chosen.value = place.line
    options.reveal(place.index)
  }
  const toChange = (step: 1 | -1) => {
    const list = places.value
    const next =
      at.value < 0
        ? (list.find((place) => isChange(place) && place.index >= options.top()) ?? list.findLast(isChange))
        : step > 0
          ? list.find((place, index) => index > at.value && isChange(place))
          : list.findLast((place, index) => index < at.value && isChange(place))
    anchor.value = null
    if (next) choose(next)
  }
  const byLine = (step: 1 | -1) => {
    const next = places.value[at.value + step]
    anchor.value = null
    if (next) choose(next)
  }
  const extend = (step: 1 | -1) => {
    const place = places.value[at.value]
    const next = places.value[at.value + step]
    // A comment is about lines of one file.
    if (!place || !next || next.file !== place.file) return
    anchor.value ??= place.line
    choose(next)
  }
  const take = () => {
    const place = places.value[at.value] ?? options.hovered()
    if (!place) return toChange(1)
    const selected = [...lines.value]
    options.take(place.file, selected.at(-1) ?? place.line, selected[0] ?? place.line)
  }
  const group = t('common.changes')
  const when = () => chosen.value !== null
  const keys = [
    { keys: options.keys.next, label: t('diff.next_changed_line'), group, run: () => toChange(1) },
    { keys: options.keys.before, label: t('diff.previous_changed_line'), group, run: () => toChange(-1) },
    { keys: 'ArrowDown', label: t('diff.next_line'), group, when, run: () => byLine(1) },
    { keys: 'ArrowUp', label: t('diff.previous_line'), group, when, run: () => byLine(-1) },
    { keys: 'shift+ArrowDown', label: t('diff.select_next_line'), group, when, run: () => extend(1) },
    { keys: 'shift+ArrowUp', label: t('diff.select_previous_line'), group, when, run: () => extend(-1) },
    { keys: 'c', label: t('diff.comment_on_line'), group, run: take },
    { keys: 'Escape', label: t('diff.clear_line_selection'), group, when, run: leave },
  ]
  useShortcuts(options.isOn() ? keys : [])
  return { chosen, lines }
}
