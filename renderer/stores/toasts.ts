import { defineStore } from 'pinia'
import { ref } from 'vue'

export type Toast = {
  id: number
  text: string
  kind: 'plain' | 'bad'
  action?: { label: string; run: () => void }
}

const SHOWN_MS = 5000
const SHOWN_BAD_MS = 9000

/** Short messages at the edge of the window: what happened, and how to undo it. */
export const useToasts = defineStore('toasts', () => {
  const list = ref<Toast[]>([])
  let next = 1

  const dismiss = (id: number) => {
    list.value = list.value.filter((toast) => toast.id !== id)
  }

  const show = (toast: { text: string; kind?: Toast['kind']; action?: Toast['action'] }) => {
    const id = next++
    const kind = toast.kind ?? 'plain'
    list.value = [...list.value.slice(-3), { ...toast, id, kind }]
    setTimeout(() => dismiss(id), kind === 'bad' ? SHOWN_BAD_MS : SHOWN_MS)
    return id
  }

  return { list, show, dismiss }
})
