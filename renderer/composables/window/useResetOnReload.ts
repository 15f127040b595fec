import { watch } from 'vue'

/**
 * Resets a draft when its record is loaded, and when it is loaded again while the draft had no changes. `isDirty` compares the draft
 * with the record, so a draft without changes differs from the new record too: what counts is the value before.
 */
export function useResetOnReload(record: () => unknown, isDirty: () => boolean, reset: () => void): void {
  watch([record, isDirty] as const, ([now], [before, wasDirty]) => {
    if (now !== before && (!before || !wasDirty)) reset()
  })
}
