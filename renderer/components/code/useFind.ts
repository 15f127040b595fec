import { computed, nextTick, onScopeDispose, ref, watch, type Ref } from 'vue'
import { findText, firstFrom, type Found } from './find-text.ts'

/** Searching in the text that is shown; the marks are drawn over it, so that its colours stay. */
export const useFind = (options: {
  lines: Readonly<Ref<readonly string[]>>
  /** Changes whenever other lines are drawn. */
  drawn: Readonly<Ref<unknown>>
  /** The element that a line is drawn in, when it is. */
  rowOf: (line: number) => Element | null
  topLine: () => number
  scrollTo: (line: number) => void
}) => {
  const isOpen = ref(false)
  const query = ref('')
  const at = ref(0)
  const found = computed(() => (isOpen.value ? findText(options.lines.value, query.value) : []))
  const current = computed<Found | undefined>(() => found.value[at.value])

  const go = (step: number) => {
    const count = found.value.length
    if (count === 0) return
    at.value = (at.value + step + count) % count
    options.scrollTo(found.value[at.value]!.line)
  }
  watch(query, () => {
    at.value = firstFrom(found.value, options.topLine())
    if (current.value) options.scrollTo(current.value.line)
  })
  const close = () => {
    isOpen.value = false
  }

  watch(
    [found, at, options.drawn],
    () => void nextTick(() => mark(found.value, current.value, options.rowOf)),
    { flush: 'post' },
  )
  onScopeDispose(unmark)
  return { isOpen, query, at, found, go, close }
}

const NAMES = { all: 'found', current: 'found-current' }

const unmark = () => {
  for (const name of Object.values(NAMES)) CSS.highlights?.delete(name)
}

const mark = (
  found: readonly Found[],
  current: Found | undefined,
  rowOf: (line: number) => Element | null,
) => {
  if (!CSS.highlights) return
  unmark()
  if (found.length === 0) return
  const rangesOf = (list: readonly Found[]) =>
    list.flatMap((one) => {
      const row = rowOf(one.line)
      return row ? (rangeIn(row, one.from, one.to) ?? []) : []
    })
  CSS.highlights.set(NAMES.all, new Highlight(...rangesOf(found.filter((one) => one !== current))))
  if (current) CSS.highlights.set(NAMES.current, new Highlight(...rangesOf([current])))
}

/** The columns of a line as a range over the pieces that its colours cut it into. */
const rangeIn = (row: Element, from: number, to: number): Range | null => {
  const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT)
  const range = document.createRange()
  let offset = 0
  let begun = false
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const { length } = node as Text
    if (!begun && from < offset + length) {
      range.setStart(node, from - offset)
      begun = true
    }
    if (begun && to <= offset + length) {
      range.setEnd(node, to - offset)
      return range
    }
    offset += length
  }
  return null
}
