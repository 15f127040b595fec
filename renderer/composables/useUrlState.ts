import { computed, type WritableComputedRef } from 'vue'
import { useRoute, useRouter, type LocationQueryRaw } from 'vue-router'
import { useListPane } from './useListPane.ts'

type Shape = Record<string, string | number | boolean | undefined>

const parse = <T extends string | number | boolean | undefined>(text: string | undefined, fallback: T): T => {
  if (text === undefined) return fallback
  if (typeof fallback === 'number') {
    const value = Number(text)
    return (Number.isSafeInteger(value) && value > 0 ? value : fallback) as T
  }
  if (typeof fallback === 'boolean') return (text === 'true') as T
  return text as T
}

/** Reads keys of a query; missing or malformed values get their default. Exported for its test. */
export const readState = <S extends Shape>(query: Record<string, unknown>, defaults: S): S => {
  const state = { ...defaults }
  for (const key of Object.keys(defaults) as (keyof S & string)[]) {
    const value = query[key]
    state[key] = parse(typeof value === 'string' ? value : undefined, defaults[key])
  }
  return state
}

/** Writes a state into a query; defaults are left out, foreign keys stay. Exported for its test. */
export const writeState = <S extends Shape>(
  query: LocationQueryRaw,
  defaults: S,
  state: S,
): LocationQueryRaw => {
  const next = { ...query }
  for (const key of Object.keys(defaults)) {
    if (state[key] === undefined || state[key] === '' || state[key] === defaults[key]) delete next[key]
    else next[key] = String(state[key])
  }
  return next
}

/**
 * Filters, order and page of a list, stored in the address so that Back, reload and a copied link restore them.
 * Changing anything but `page` goes back to the first page. While a detail is open, the address is the detail's, and the
 * pane of the list keeps them.
 */
export const useUrlState = <S extends Shape>(
  defaults: S,
): { state: WritableComputedRef<S>; set: (patch: Partial<S>) => void } => {
  const route = useRoute()
  const router = useRouter()
  const pane = useListPane()
  const state = computed<S>({
    get: () => readState(pane?.query.value ?? route.query, defaults),
    set: (next) => {
      const query = writeState(pane?.query.value ?? route.query, defaults, next)
      if (pane) pane.setQuery(query)
      // With the path: a route's parameters alone would be written again, with every slash encoded.
      else void router.replace({ path: route.path, query, hash: route.hash })
    },
  })
  const set = (patch: Partial<S>) => {
    const first = 'page' in patch || !('page' in defaults) ? {} : { page: defaults.page }
    state.value = { ...state.value, ...first, ...patch }
  }
  return { state, set }
}
