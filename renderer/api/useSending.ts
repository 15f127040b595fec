import { computed, onBeforeUnmount, ref } from 'vue'

/** The progress of an upload. Leaving the view cancels it. */
export const useSending = () => {
  const share = ref<number | null>(null)
  const abort = new AbortController()
  onBeforeUnmount(() => abort.abort())
  /** The options of `apiUpload`. */
  const begin = () => {
    share.value = 0
    return { signal: abort.signal, onProgress: (now: number) => (share.value = now) }
  }
  const end = () => {
    share.value = null
  }
  return {
    /** Null while nothing is sent. */
    percent: computed(() => (share.value === null ? null : Math.floor(share.value * 100))),
    begin,
    end,
  }
}
