import { shallowRef } from 'vue'

/** The request that the next one is compared with. */
export const marked = shallowRef<number | null>(null)
