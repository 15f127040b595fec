import { ref } from 'vue'

/**
 * An area that takes files: `isOver` while some are above it, and its listeners, for `v-on`. They capture the event, so that
 * an editor inside does not insert the text of a file.
 */
export const useFileDrop = (
  take: (transfer: DataTransfer) => unknown,
  mayTake: () => boolean = () => true,
) => {
  const isOver = ref(false)
  const isWanted = ({ dataTransfer }: DragEvent) =>
    dataTransfer?.types.includes('Files') === true && mayTake()
  const onOver = (event: DragEvent) => {
    if (!isWanted(event)) return
    event.preventDefault()
    isOver.value = true
  }
  const onLeave = () => {
    isOver.value = false
  }
  const onDrop = (event: DragEvent) => {
    isOver.value = false
    if (!event.dataTransfer || !isWanted(event)) return
    event.preventDefault()
    event.stopPropagation()
    void take(event.dataTransfer)
  }
  return { isOver, listeners: { dragoverCapture: onOver, dragleave: onLeave, dropCapture: onDrop } }
}
