import { refDebounced } from '@vueuse/core'
import { onBeforeUnmount, ref, watch } from 'vue'
import { messageOf } from '../../api/errors.ts'
import { wikiWrites, type WikiFormat, type Wiki } from './wiki.ts'

/** A text that is being rendered while it is written. */
export type Draft = { content: string; format: WikiFormat; slug: string }

const SETTLE_MS = 250

/** A draft as the page will look, shortly after the last letter; the picture before stays until the next is there. */
export const useWikiPreview = (wiki: () => Wiki, draft: () => Draft | null) => {
  const html = ref<string | null>(null)
  const failed = ref<string | null>(null)
  let under: AbortController | undefined

  const wanted = ref<Draft | null>(null)
  watch(draft, (now) => (wanted.value = now), { immediate: true, deep: true })
  const settled = refDebounced(wanted, SETTLE_MS)

  watch(
    settled,
    async (now) => {
      under?.abort()
      if (!now) return
      const mine = new AbortController()
      under = mine
      try {
        const answer = await wikiWrites(wiki()).preview(now, mine.signal)
        if (mine.signal.aborted) return
        html.value = answer.html
        failed.value = null
      } catch (error) {
        if (!mine.signal.aborted) failed.value = messageOf(error)
      }
    },
    { immediate: true },
  )
  onBeforeUnmount(() => under?.abort())
  return { html, failed }
}
