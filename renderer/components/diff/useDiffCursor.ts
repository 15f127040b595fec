import { computed, shallowRef, watch, type Ref } from 'vue'
import { useShortcuts } from '../../composables/useShortcuts.ts'
import type { DiffFile, DiffLine } from './diff-model.ts'
import type { DiffRow } from './diff-rows.ts'
import { linesBetween } from './useDiffPicking.ts'
import { t } from '../../locales/t.ts'

type LinePosition = { index: number; file: DiffFile; line: DiffLine }

const isChange = (position: LinePosition): boolean => position.line.kind !== 'context'

/** The lines in reading sequence: in a side-by-side row the old line comes first. */
const positionsOf = (rows: readonly DiffRow[], fits: (line: DiffLine) => boolean): LinePosition[] =>
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
  const positions = computed(() => (options.isOn() ? positionsOf(options.rows.value, options.fits) : []))
  const at = computed(() => positions.value.findIndex((position) => position.line === chosen.value))
  const leave = () => {
    chosen.value = null
    anchor.value = null
  }
  watch(options.rows, () => {
    if (chosen.value && at.value < 0) leave()
  })
  const lines = computed<ReadonlySet<DiffLine>>(() => {
    const position = chosen.value ? positions.value[at.value] : undefined
    return new Set(position && anchor.value ? linesBetween(position.file, anchor.value, position.line) : [])
  })

  const choose = (position: LinePosition) => {
    chosen.value = position.line
    options.reveal(position.index)
  }
  const toChange = (step: 1 | -1) => {
    const list = positions.value
    const next =
      at.value < 0
        ? (list.find((position) => isChange(position) && position.index >= options.top()) ??
          list.findLast(isChange))
        : step > 0
          ? list.find((position, index) => index > at.value && isChange(position))
          : list.findLast((position, index) => index < at.value && isChange(position))
    anchor.value = null
    if (next) choose(next)
  }
  const byLine = (step: 1 | -1) => {
    const next = positions.value[at.value + step]
    anchor.value = null
    if (next) choose(next)
  }
  const extend = (step: 1 | -1) => {
    const position = positions.value[at.value]
    const next = positions.value[at.value + step]
    // A comment is about lines of one file.
    if (!position || !next || next.file !== position.file) return
    anchor.value ??= position.line
    choose(next)
  }
  const take = () => {
    const position = positions.value[at.value] ?? options.hovered()
    if (!position) return toChange(1)
    const selected = [...lines.value]
    options.take(position.file, selected.at(-1) ?? position.line, selected[0] ?? position.line)
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
