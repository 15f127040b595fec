import { defineStore } from 'pinia'
import { ref } from 'vue'

/** A place that was opened, as much of it as a list needs to name it. */
export type Recent = {
  kind: 'project' | 'group'
  id: number
  name: string
  full_path: string
  opened_at: string
}

const KEY = 'deskforge.recent'
const KEPT = 24

const read = (): Recent[] => {
  try {
    const list = JSON.parse(localStorage.getItem(KEY) ?? '[]') as unknown
    return Array.isArray(list) ? (list as Recent[]).filter((one) => typeof one?.full_path === 'string') : []
  } catch {
    return []
  }
}

/** Projects and groups in the order they were last opened, newest first. Kept in this window only. */
export const useRecent = defineStore('recent', () => {
  const list = ref<Recent[]>(read())

  const save = (next: Recent[]) => {
    list.value = next.slice(0, KEPT)
    localStorage.setItem(KEY, JSON.stringify(list.value))
  }

  const opened = (place: Omit<Recent, 'opened_at'>) => {
    const others = list.value.filter((one) => one.kind !== place.kind || one.id !== place.id)
    save([{ ...place, opened_at: new Date().toISOString() }, ...others])
  }

  /** A place that is gone must not stay in the way. */
  const forget = (kind: Recent['kind'], fullPath: string) => {
    save(list.value.filter((one) => one.kind !== kind || one.full_path !== fullPath))
  }

  return { list, opened, forget }
})
