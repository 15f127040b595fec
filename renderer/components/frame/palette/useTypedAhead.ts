import { useEventListener } from '@vueuse/core'
import { watch, type Ref } from 'vue'

/**
 * Buffers the text typed before the field of the palette has the focus, so that no letter is lost while its code loads. `take`
 * returns the text and stops buffering.
 */
export const useTypedAhead = (isOpen: Ref<boolean>) => {
  let text = ''
  let isKeeping = false
  watch(
    isOpen,
    (now) => {
      text = ''
      isKeeping = now
    },
    { flush: 'sync' },
  )
  useEventListener(
    document,
    'keydown',
    (event) => {
      if (!isKeeping || event.ctrlKey || event.metaKey || event.altKey) return
      if (event.key.length === 1) text += event.key
      else if (event.key === 'Backspace') text = text.slice(0, -1)
      else return
      event.preventDefault()
      event.stopPropagation()
    },
    { capture: true },
  )
  const take = () => {
    isKeeping = false
    return text
  }
  return { take }
}
