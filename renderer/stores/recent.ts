import { defineStore } from 'pinia'
import { ref, watch } from 'vue'
import { useSession } from './session.ts'

/** A recently opened page, with what a list needs to show it. */
export type Recent = {
  kind: 'project' | 'group'
  id: number
  name: string
  full_path: string
  opened_at: string
}

const KEPT = 24
const keyOf = (userId: number) => `deskforge.recent.${userId}`

const read = (userId: number | undefined): Recent[] => {
  if (userId === undefined) return []
  try {
    const list = JSON.parse(localStorage.getItem(keyOf(userId)) ?? '[]') as unknown
    return Array.isArray(list) ? (list as Recent[]).filter((one) => typeof one?.full_path === 'string') : []
  } catch {
    return []
  }
}

/**
 * Projects and groups in the order they were last opened, newest first. Kept in this window only, for each user apart;
 * a visitor leaves no trace.
 */
export const useRecent = defineStore('recent', () => {
  const session = useSession()
  const list = ref<Recent[]>([])
  watch(
    () => session.user?.id,
    (id) => {
      list.value = read(id)
    },
    { immediate: true },
  )

  const save = (next: Recent[]) => {
    const id = session.user?.id
    if (id === undefined) return
    list.value = next.slice(0, KEPT)
    localStorage.setItem(keyOf(id), JSON.stringify(list.value))
  }

  const opened = (entry: Omit<Recent, 'opened_at'>) => {
    const others = list.value.filter((one) => one.kind !== entry.kind || one.id !== entry.id)
    save([{ ...entry, opened_at: new Date().toISOString() }, ...others])
  }

  /** Removes entries of deleted projects and groups. */
  const forget = (kind: Recent['kind'], fullPath: string) => {
    save(list.value.filter((one) => one.kind !== kind || one.full_path !== fullPath))
  }

  return { list, opened, forget }
})
