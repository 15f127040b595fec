import { useEventListener } from '@vueuse/core'
import { computed, shallowRef } from 'vue'
import type { DiffFile, DiffLine } from './diff-model.ts'

interface Picking {
  file: DiffFile
  from: DiffLine
  to: DiffLine
  isDragging: boolean
}

/** The lines from one to another in the order they are shown; of one side only, where both ends are of that side. */
export function linesBetween(file: DiffFile, one: DiffLine, other: DiffLine): DiffLine[] {
  const lines = file.hunks.flatMap((hunk) => hunk.lines)
  const [a, b] = [lines.indexOf(one), lines.indexOf(other)].toSorted((x, y) => x - y)
  if (a === undefined || b === undefined || a < 0) return []
  const kinds = new Set([one.kind, other.kind])
  const left =
    kinds.has('add') && !kinds.has('del') ? 'del' : kinds.has('del') && !kinds.has('add') ? 'add' : null
  return lines.slice(a, b + 1).filter((line) => line.kind !== left)
}

/**
 * Lines that are picked by their numbers: one by a click, several by dragging over them, or by a click with shift from
 * the line that was picked before.
 */
export const useDiffPicking = (options: {
  isOn: () => boolean
  /** Whether a line can be picked at all. */
  fits: (line: DiffLine) => boolean
  take: (file: DiffFile, last: DiffLine, first: DiffLine) => void
}) => {
  const picking = shallowRef<Picking | null>(null)
  const hovered = shallowRef<{ file: DiffFile; line: DiffLine } | null>(null)

  const press = (file: DiffFile, line: DiffLine, event: MouseEvent) => {
    if (!options.isOn() || !options.fits(line)) return
    const before = picking.value
    const from = event.shiftKey && before?.file === file ? before.from : line
    picking.value = { file, from, to: line, isDragging: true }
  }
  const over = (file: DiffFile, line: DiffLine) => {
    hovered.value = { file, line }
    const now = picking.value
    if (now?.isDragging && now.file === file && options.fits(line)) picking.value = { ...now, to: line }
  }
  useEventListener(window, 'mouseup', () => {
    const now = picking.value
    if (!now?.isDragging) return
    picking.value = { ...now, isDragging: false }
    const lines = linesBetween(now.file, now.from, now.to)
    const first = lines[0]
    const last = lines.at(-1)
    if (first && last) options.take(now.file, last, first)
  })
  const picked = computed<ReadonlySet<DiffLine>>(() => {
    const now = picking.value
    return new Set(now?.isDragging ? linesBetween(now.file, now.from, now.to) : [])
  })
  return { press, over, picked, hovered }
}
