import { onBeforeUnmount, shallowRef, watch } from 'vue'
import { instanceName } from './appearance/instanceName.ts'
import { useListPane } from './useListPane.ts'

/** One step of the breadcrumb; the last one is where we are and has no link. */
export type Crumb = { label: string; to?: string }

/** The breadcrumbs of the views on the screen, the innermost one last. It shows, and when it leaves, the one around it. */
const shown = shallowRef<readonly { owner: symbol; list: Crumb[] }[]>([])

/** The breadcrumb that the title bar shows now. */
export const crumbs = () => shown.value.at(-1)?.list ?? []

const writeTitle = () => {
  const title = crumbs()
    .map((step) => step.label)
    .toReversed()
    .join(' · ')
  document.title = title ? `${title} – ${instanceName.value}` : instanceName.value
}

/** Sets the breadcrumb and the window's title while the view is on the screen. An open detail overrides its list. */
export const useCrumbs = (list: () => Crumb[]) => {
  const owner = Symbol('crumbs')
  const pane = useListPane()
  const set = (steps: Crumb[]) => {
    const own = { owner, list: steps }
    const isThere = shown.value.some((one) => one.owner === owner)
    shown.value = isThere
      ? shown.value.map((one) => (one.owner === owner ? own : one))
      : [...shown.value, own]
    writeTitle()
  }
  const remove = () => {
    shown.value = shown.value.filter((one) => one.owner !== owner)
  }
  watch(
    [list, () => pane?.hasDetail.value, instanceName],
    ([steps, hasDetail]) => (hasDetail ? remove() : set(steps)),
    {
      immediate: true,
    },
  )
  onBeforeUnmount(() => {
    remove()
    if (shown.value.length > 0) writeTitle()
  })
}
