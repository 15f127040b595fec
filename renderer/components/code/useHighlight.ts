import { onScopeDispose, shallowRef, watch, type Ref, type ShallowRef } from 'vue'
import { highlight } from '../../workers/highlighter.ts'

/** Coloured lines for a text; null until they are there, and for text that stays plain. */
export function useHighlight(
  text: Readonly<Ref<string>>,
  language: Readonly<Ref<string | null>>,
): Readonly<ShallowRef<string[] | null>> {
  const lines = shallowRef<string[] | null>(null)
  let abort = new AbortController()
  onScopeDispose(() => abort.abort())

  watch(
    [text, language],
    async ([source, name]) => {
      abort.abort()
      abort = new AbortController()
      lines.value = null
      if (!name || !source) return
      const { signal } = abort
      const answer = await highlight(source, name, signal)
      if (!signal.aborted) lines.value = answer
    },
    { immediate: true },
  )
  return lines
}
