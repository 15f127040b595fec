import { nextTick, ref, watch } from 'vue'
import { useRoute } from 'vue-router'

/** Scrolls once to the comment in the URL hash after it is loaded. */
export const useHashTarget = (count: () => number) => {
  const route = useRoute()
  const shown = ref('')
  watch(
    [() => route.hash, count],
    async ([hash]) => {
      if (!/^#note_\d+$/.test(hash) || shown.value === hash) return
      await nextTick()
      const element = document.getElementById(hash.slice(1))
      if (!element) return
      shown.value = hash
      element.scrollIntoView({ block: 'center' })
    },
    { immediate: true, flush: 'post' },
  )
}
