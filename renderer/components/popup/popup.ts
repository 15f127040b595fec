import { ref, shallowRef, useId, type ComponentPublicInstance } from 'vue'

/** Opens a menu from its button, in addition to a click. */
const MENU_KEYS = ['Enter', ' ', 'ArrowDown']

/** A menu or dialog below the button that opens it. */
export type Popup = ReturnType<typeof usePopup>

/**
 * The state of a popup, and what its button has to have. A closed popup is nothing but attributes of the button, because
 * lists have one in each row.
 */
export const usePopup = (kind: 'menu' | 'dialog') => {
  const id = useId()
  const isOpen = ref(false)
  const isKeyboard = ref(false)
  const button = shallowRef<HTMLElement>()
  const setButton = (part: Element | ComponentPublicInstance | null) => {
    const element: unknown = part && '$el' in part ? part.$el : part
    button.value = element instanceof HTMLElement ? element : undefined
  }
  const toggle = (byKeyboard: boolean) => {
    isKeyboard.value = byKeyboard
    isOpen.value = !isOpen.value
  }
  // A click without a position comes from the keyboard.
  const onClick = (event: MouseEvent) => {
    if (!event.ctrlKey) toggle(event.detail === 0)
  }
  const onKeydown = (event: KeyboardEvent) => {
    if (kind !== 'menu' || !MENU_KEYS.includes(event.key)) return
    event.preventDefault()
    if (!isOpen.value || event.key !== 'ArrowDown') toggle(true)
  }
  const contentId = `${id}-content`
  return {
    isOpen,
    isKeyboard,
    button,
    contentId,
    attributes: () => ({
      id: `${id}-button`,
      ref: setButton,
      'aria-haspopup': kind,
      'aria-expanded': isOpen.value,
      'aria-controls': isOpen.value ? contentId : undefined,
      'data-state': isOpen.value ? 'open' : 'closed',
      onClick,
      onKeydown,
    }),
  }
}
