import { watch, type Ref } from 'vue'

/** Long lines that do not wrap move sideways under one bar, both sides at once. */
export const useSlide = (
  scroller: Readonly<Ref<HTMLElement | null>>,
  bar: Readonly<Ref<HTMLElement | null>>,
  wrap: Readonly<Ref<boolean>>,
) => {
  const put = (left: number) => scroller.value?.style.setProperty('--slide', `${-left}px`)
  const onWheel = (event: WheelEvent) => {
    const by = event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX
    if (wrap.value || !bar.value || by === 0) return
    if (!event.shiftKey && Math.abs(by) < Math.abs(event.deltaY)) return
    bar.value.scrollLeft += by
    event.preventDefault()
  }
  watch(wrap, () => put(0))
  return { slide: () => put(bar.value?.scrollLeft ?? 0), onWheel }
}
