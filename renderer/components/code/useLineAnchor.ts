import { computed, type ComputedRef } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import { lineHash, readLineHash, type LineRange } from './line-range.ts'

export interface LineAnchor {
  range: ComputedRef<LineRange | null>
  /** Keeps the choice in the address without a step in the history. */
  choose: (range: LineRange | null) => void
  /** The address of the file with the chosen lines. */
  link: ComputedRef<string>
}

/** The chosen lines of a file live in the address: `#L10` or `#L10-20`. */
export function useLineAnchor(): LineAnchor {
  const route = useRoute()
  const router = useRouter()
  const range = computed(() => readLineHash(route.hash))
  return {
    range,
    choose: (next) => {
      void router.replace({ path: route.path, query: route.query, hash: next ? lineHash(next) : '' })
    },
    link: computed(() => new URL(router.resolve(route.fullPath).href, location.origin).href),
  }
}
