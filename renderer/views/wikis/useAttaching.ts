import { ref } from 'vue'
import { messageOf } from '../../api/errors.ts'
import { useToasts } from '../../stores/toasts.ts'
import { attachmentText } from './attachment-text.ts'
import { wikiWrites, type WikiFormat, type WikiPlace } from './place.ts'

/** Files that come by the button, by dropping or out of the clipboard are kept in the wiki and named in the text. */
export const useAttaching = (
  place: () => WikiPlace,
  format: () => WikiFormat,
  insert: (text: string) => void,
) => {
  const toasts = useToasts()
  const busy = ref(0)

  const attach = async (files: readonly File[]) => {
    for (const file of files) {
      busy.value++
      try {
        const kept = await wikiWrites(place()).attach(file)
        insert(`${attachmentText(format(), kept)}${files.length > 1 ? '\n' : ''}`)
      } catch (error) {
        toasts.show({ text: `${file.name}: ${messageOf(error)}`, kind: 'bad' })
      } finally {
        busy.value--
      }
    }
  }
  /** Takes the files out of what is dropped or pasted; text goes its usual way. */
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
