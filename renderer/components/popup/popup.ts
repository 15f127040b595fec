import { ref, shallowRef, useId, type ComponentPublicInstance } from 'vue'

/** Opens a menu from its button, in addition to a click. */
const MENU_KEYS = ['Enter', ' ', 'ArrowDown']

/** The distance of a popup from its button, and from the edges of the window. */
const GAP = 4
const EDGE = 8

/** Moves a fixed element below a button, or above it where there is more room. */
export const placeBelow = (element: HTMLElement, button: HTMLElement, align: 'start' | 'end') => {
  const { left, right, top, bottom } = button.getBoundingClientRect()
  const { offsetWidth: width, offsetHeight: height } = element
  const below = bottom + GAP
  const isBelow = below + height + EDGE <= innerHeight || top < innerHeight - bottom
  const x = align === 'start' ? left : right - width
  element.style.left = `${Math.max(EDGE, Math.min(x, innerWidth - width - EDGE))}px`
  element.style.top = `${Math.max(EDGE, isBelow ? below : top - GAP - height)}px`
}

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
