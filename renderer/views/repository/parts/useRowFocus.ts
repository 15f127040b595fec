import type { Ref } from 'vue'

/** Moves the focus through the rows of a list that is drawn whole; `selector` names what takes the focus in a row. */
export const useRowFocus = (list: Readonly<Ref<HTMLElement | null>>, selector: string) => {
  const move = (step: number) => {
    const rows = [...(list.value?.querySelectorAll<HTMLElement>(selector) ?? [])]
    const at = rows.findIndex((row) => row === document.activeElement)
    const start = at >= 0 ? at : rows.findIndex((row) => row.getAttribute('aria-selected') === 'true')
    const next = rows[start < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, start + step))]
    next?.focus({ focusVisible: true } as FocusOptions)
    next?.scrollIntoView({ block: 'nearest' })
  }
  return { move }
}
