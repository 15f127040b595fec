import { defineStore } from 'pinia'
import { ref } from 'vue'
import { t } from '../locales/t.ts'
import { useToasts } from './toasts.ts'

/** The instance refuses a larger world; a browser would try to show it. */
const MOST_BYTES = 16 * 1024 * 1024

/** The text of a world file that was dropped on the window, until the view of worlds takes it. */
export const useOpenedWorld = defineStore('opened-world', () => {
  const text = ref<string | null>(null)

  /** Reads a file. Returns false, and says why, where that fails. */
  const open = async (file: File): Promise<boolean> => {
    const { name } = file
    // A folder arrives as a file that cannot be read.
    const read = file.size > MOST_BYTES ? null : await file.text().catch(() => undefined)
    if (typeof read === 'string') text.value = read
    else if (read === null)
      useToasts().show({ text: t('workbench.name_is_larger_than_16_mb_which_no', { name }), kind: 'bad' })
    else useToasts().show({ text: t('workbench.name_cannot_be_read', { name }), kind: 'bad' })
    return typeof read === 'string'
  }

  const take = (): string | null => {
    const taken = text.value
    text.value = null
    return taken
  }

  return { text, open, take }
})
