import { ref } from 'vue'
import { messageOf } from '../../api/errors.ts'
import { useToasts } from '../../stores/toasts.ts'

/**
 * Files from a button, a drop or the clipboard. `keep` uploads one and returns the Markdown for it;
 * `insert` puts that into the text.
 */
export const useAttaching = (keep: (file: File) => Promise<string>, insert: (text: string) => void) => {
  const toasts = useToasts()
  const busy = ref(0)

  const attach = async (files: readonly File[]) => {
    for (const file of files) {
      busy.value++
      try {
        const name = await keep(file)
        insert(`${name}${files.length > 1 ? '\n' : ''}`)
      } catch (error) {
        toasts.show({ text: `${file.name}: ${messageOf(error)}`, kind: 'bad' })
      } finally {
        busy.value--
      }
    }
  }
  /** Extracts dropped or pasted files; text is handled by the browser. */
  const take = (event: ClipboardEvent | DragEvent) => {
    const data = 'clipboardData' in event ? event.clipboardData : event.dataTransfer
    const files = [...(data?.files ?? [])]
    if (files.length === 0) return
    event.preventDefault()
    event.stopPropagation()
    void attach(files)
  }
  return { busy, attach, take }
}
