import { inject, type InjectionKey, type Ref } from 'vue'
import type { LocationQuery, LocationQueryRaw } from 'vue-router'

/** The detail that is open instead of the list or next to it. */
export type ListPane = {
  hasDetail: Readonly<Ref<boolean>>
  /** Filters, order and page of the list. The address has them only while no detail is open. */
  query: Readonly<Ref<LocationQuery>>
  setQuery: (query: LocationQueryRaw) => void
  /** Shows another item instead of the open one. */
  show: (path: string) => void
  /** Moves the focus into the detail. */
  enter: () => void
  /** Closes the detail. */
  close: () => Promise<unknown>
}

export const LIST_PANE: InjectionKey<ListPane> = Symbol('list pane')

/** The pane of the list around this component; null outside of one, and in the detail. */
export const useListPane = () => inject(LIST_PANE, null)
