import { useEventListener } from '@vueuse/core'

/** Makes the browser or the application ask before the page is closed or loaded again while text is not saved. */
export function useUnsavedText(isUnsaved: () => boolean): void {
  useEventListener(window, 'beforeunload', (event) => {
    if (isUnsaved()) event.preventDefault()
  })
}

/** Whether the open page has text that is not saved: the listeners answer as if it were about to close. */
export const hasUnsavedText = (): boolean =>
  !window.dispatchEvent(new Event('beforeunload', { cancelable: true }))
