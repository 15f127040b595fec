import { onBeforeUnmount, shallowRef, watchEffect } from 'vue'
import { instanceName } from './appearance/instanceName.ts'
import { useListPane } from './useListPane.ts'

/** One step of the breadcrumb; the last one is where we are and has no link. */
export type Crumb = { label: string; to?: string }

const current = shallowRef<{ owner: symbol; list: Crumb[] } | null>(null)

/** The breadcrumb that the title bar shows now. */
export const crumbs = () => current.value?.list ?? []

/** Sets the breadcrumb and the window's title while the view is on the screen. An open detail overrides its list. */
export const useCrumbs = (list: () => Crumb[]) => {
  const owner = Symbol('crumbs')
  const pane = useListPane()
  watchEffect(() => {
    if (pane?.hasDetail.value) return
    const steps = list()
    current.value = { owner, list: steps }
    const title = steps
      .map((step) => step.label)
      .reverse()
      .join(' · ')
    document.title = title ? `${title} – ${instanceName.value}` : instanceName.value
  })
  onBeforeUnmount(() => {
    if (current.value?.owner === owner) current.value = null
  })
}
