import { computed, onScopeDispose, ref, watch } from 'vue'
import { useMarkdown } from '../../components/markdown/useMarkdown.ts'

const SETTLE_MS = 250

/** A Markdown text as it will be shown, soon after the last key; what was there stays until the next is there. */
export const useRendered = (text: () => string) => {
  const settled = ref(text())
  let timer: ReturnType<typeof setTimeout> | undefined
  watch(text, (now) => {
    clearTimeout(timer)
    timer = setTimeout(() => (settled.value = now), SETTLE_MS)
  })
  onScopeDispose(() => clearTimeout(timer))
  const rendered = useMarkdown(() =>
    settled.value.trim() ? { text: settled.value, project: '', version: settled.value } : null,
  )
  const last = ref('')
  watch(
    () => rendered.data.value?.html,
    (html) => {
      if (html !== undefined) last.value = html
    },
    { immediate: true },
  )
  return computed(() => (text().trim() ? last.value : ''))
}
