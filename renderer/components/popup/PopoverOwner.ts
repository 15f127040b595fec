import { injectPopoverRootContext } from 'reka-ui'
import { defineComponent, type PropType } from 'vue'
import type { Popup } from './popup.ts'

/** Connects an open popover with its button, which names it, does not count as outside of it, and has the focus after it. */
export const PopoverOwner = defineComponent({
  props: { popup: { type: Object as PropType<Popup>, required: true } },
  setup({ popup }) {
    const root = injectPopoverRootContext()
    root.triggerElement.value = popup.button.value
    root.triggerId = popup.button.value?.id ?? ''
    root.contentId = popup.contentId
    return () => null
  },
})
