import { nextTick, onBeforeUnmount, ref, watch, type Ref } from 'vue'
import { useRoute } from 'vue-router'
import type { SettingGroup } from './model.ts'

/** The themes of the first frame, and of each step after it. */
const FIRST = 1
const STEP = 3
const later = (work: () => void) =>
  'requestIdleCallback' in window ? requestIdleCallback(work) : setTimeout(work, 16)

/**
 * Where one is in the long page: the first theme is drawn at once and the others right after, the theme that is in
 * sight is known, and an address with `#name` leads to its setting.
 */
export const useSettingLocation = (
  pane: Readonly<Ref<HTMLElement | null>>,
  groups: Ref<readonly SettingGroup[]>,
  reveal: (name: string) => boolean,
) => {
  const route = useRoute()
  const drawn = ref(FIRST)
  const inSight = ref('')
  let isGone = false

  const drawMore = () => {
    if (isGone || drawn.value >= groups.value.length) return
    drawn.value += STEP
    later(drawMore)
  }
  onBeforeUnmount(() => {
    isGone = true
  })
  watch(
    () => groups.value.length,
    () => later(drawMore),
    { immediate: true },
  )

  const sectionOf = (name: string) => pane.value?.querySelector<HTMLElement>(`[data-theme="${name}"]`)
  const look = () => {
    const top = (pane.value?.getBoundingClientRect().top ?? 0) + 80
    const sections = [...(pane.value?.querySelectorAll<HTMLElement>('[data-theme]') ?? [])]
    const current = sections.findLast((one) => one.getBoundingClientRect().top <= top) ?? sections[0]
    inSight.value = current?.dataset.theme ?? ''
  }
  const goTo = async (name: string) => {
    drawn.value = Infinity
    await nextTick()
    sectionOf(name)?.scrollIntoView({ block: 'start' })
    inSight.value = name
  }

  const lead = async () => {
    const name = decodeURIComponent(route.hash.slice(1))
    if (!name || groups.value.length === 0 || !reveal(name)) return
    drawn.value = Infinity
    await nextTick()
    const row = document.getElementById(`setting-${name}`)
    row?.scrollIntoView({ block: 'center' })
    row?.querySelector<HTMLElement>('.ctl input, .ctl select, .ctl textarea')?.focus({ preventScroll: true })
    look()
  }
  watch([() => route.hash, () => groups.value.length > 0], () => void lead(), {
    immediate: true,
    flush: 'post',
  })
  watch(groups, () => void nextTick(look), { flush: 'post' })

  return { drawn, inSight, look, goTo }
}
