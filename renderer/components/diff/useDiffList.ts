import { useVirtualizer, type Range, type VirtualItem } from '@tanstack/vue-virtual'
import { useElementSize } from '@vueuse/core'
import { computed, nextTick, ref, watch, type ComputedRef, type Ref } from 'vue'
import { isPlain } from '../code/columns.ts'
import { lineColumns } from './lines/diff-html.ts'
import type { DiffLine } from './diff-model.ts'
import type { DiffLayout, DiffRow } from './diff-rows.ts'

const LINE = 20
const HEIGHTS = { file: 36, remark: 36, held: 44, picture: 240, hunk: 28, end: 28, extra: 120, gap: 12 }
// Numbers, sign and the padding at the end of a line; see diff.css.
const GUTTER = { unified: 36 * 2 + 18 + 16, split: 36 + 18 + 12 }

export interface DiffList {
  items: ComputedRef<VirtualItem[]>
  total: ComputedRef<number>
  /** The head that stays at the top: that of the file under the upper edge. */
  stuck: ComputedRef<number>
  measure: (element: unknown) => void
  needsMeasure: (row: DiffRow | undefined) => boolean
  scrollTo: (index: number) => void
  /** The overflow of lines beyond their column in pixels; 0 while they wrap. */
  excess: ComputedRef<number>
  /** Scrolls the minimum distance that makes a row visible. */
  reveal: (index: number) => void
}

/** The virtual list of a diff. Heights are computed from the width of a character; only lines that wrap are measured. */
export function useDiffList(
  rows: Ref<readonly DiffRow[]>,
  layout: Ref<DiffLayout>,
  scroller: Ref<HTMLElement | null>,
  charWidth: Ref<number>,
  wrap: Ref<boolean>,
): DiffList {
  const { width } = useElementSize(scroller)
  const fit = computed(() => {
    const half = layout.value === 'split' ? Math.floor(width.value / 2) : width.value
    return Math.max(10, Math.floor((half - GUTTER[layout.value]) / charWidth.value))
  })
  const heads = computed(() => rows.value.flatMap((row, index) => (row.kind === 'file' ? [index] : [])))
  const stuck = ref(-1)

  function heightOf(row: DiffRow): number {
    if (!wrap.value && (row.kind === 'unified' || row.kind === 'split')) return LINE
    if (row.kind === 'unified') return LINE * linesOf(row.line, fit.value)
    if (row.kind === 'split')
      return LINE * Math.max(linesOf(row.left, fit.value), linesOf(row.right, fit.value))
    return HEIGHTS[row.kind]
  }

  function pick(range: Range): number[] {
    const { startIndex, endIndex, overscan, count } = range
    stuck.value = heads.value.findLast((index) => index <= startIndex) ?? -1
    const from = Math.max(0, startIndex - overscan)
    const to = Math.min(count - 1, endIndex + overscan)
    const indexes = stuck.value >= 0 && stuck.value < from ? [stuck.value] : []
    for (let index = from; index <= to; index++) indexes.push(index)
    return indexes
  }

  const virtualizer = useVirtualizer(
    computed(() => ({
      count: rows.value.length,
      getScrollElement: () => scroller.value,
      getItemKey: (index: number) => rows.value[index]?.key ?? index,
      estimateSize: (index: number) => {
        const row = rows.value[index]
        return row ? heightOf(row) : LINE
      },
      rangeExtractor: pick,
      scrollPaddingStart: HEIGHTS.file,
      overscan: 8,
    })),
  )
  watch([fit, layout, wrap], () => virtualizer.value.measure())

  const longest = computed(() => {
    if (wrap.value) return 0
    let most = 0
    for (const row of rows.value) {
      if (row.kind === 'unified') most = Math.max(most, lineColumns(row.line))
      else if (row.kind === 'split')
        most = Math.max(most, row.left ? lineColumns(row.left) : 0, row.right ? lineColumns(row.right) : 0)
    }
    return most
  })

  return {
    excess: computed(() => Math.max(0, Math.ceil((longest.value - fit.value) * charWidth.value))),
    items: computed(() => virtualizer.value.getVirtualItems()),
    total: computed(() => virtualizer.value.getTotalSize()),
    stuck: computed(() => stuck.value),
    measure: (element) => virtualizer.value.measureElement(element as HTMLElement | null),
    needsMeasure: (row) => {
      if (row?.kind === 'extra' || row?.kind === 'picture') return true
      if (!wrap.value) return false
      if (row?.kind === 'unified') return isOdd(row.line, fit.value)
      return row?.kind === 'split' && (isOdd(row.left, fit.value) || isOdd(row.right, fit.value))
    },
    reveal: (index) => virtualizer.value.scrollToIndex(index, { align: 'auto' }),
    scrollTo: (index) => {
      void nextTick(() => {
        const offset = virtualizer.value.getOffsetForIndex(index, 'start')
        if (offset)
          virtualizer.value.scrollToOffset(
            offset[0] + (rows.value[index]?.kind === 'file' ? HEIGHTS.file : 0),
          )
      })
    },
  }
}

function linesOf(line: DiffLine | null, fit: number): number {
  return line ? Math.max(1, Math.ceil(lineColumns(line) / fit)) : 1
}

/** A line that wraps, or has characters of other widths: its height is known only when drawn. */
function isOdd(line: DiffLine | null, fit: number): boolean {
  return !!line && (!isPlain(line.text) || lineColumns(line) > fit)
}
