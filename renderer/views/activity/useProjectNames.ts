import { computed, reactive, watch, type Ref } from 'vue'
import { api } from '../../api/client.ts'

export type NamedProject = { name: string; path: string }

/** Events contain only the id of their project, so each name is requested once. Null: the user cannot see the project. */
const known = reactive(new Map<number, NamedProject | null>())
const asked = new Set<number>()

const ask = async (id: number) => {
  if (asked.has(id)) return
  asked.add(id)
  const project = await api('GET /projects/:id', { id }).catch(() => null)
  known.set(id, project && { name: project.name, path: `/${project.path_with_namespace}` })
}

/** The projects that some events are in, by their number. */
export const useProjectNames = (ids: Ref<readonly (number | null)[]>) => {
  watch(ids, (now) => now.forEach((id) => id !== null && void ask(id)), { immediate: true })
  return computed(
    () =>
      (id: number | null): NamedProject | null =>
        id === null ? null : (known.get(id) ?? null),
  )
}
