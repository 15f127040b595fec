import { computed, reactive, watch } from 'vue'
import { api, type Result } from '../../../api/client.ts'
import { messageOf } from '../../../api/errors.ts'
import {
  conflictsIn,
  markersLeft,
  plainEnds,
  resultOf,
  withEndsOf,
  type Section,
  type Use,
} from './conflict-text.ts'

export type Conflicts = Result<'GET /-/projects/:id/merge_requests/:merge_request_iid/conflicts'>

/** A file with its versions and what was chosen of them. */
export interface FileState {
  sections: readonly Section[] | null
  uses: Record<string, Use>
  /** The content that was written by hand; null while the choices count. */
  text: string | null
  error: string | null
}

const fresh = (): FileState => ({ sections: null, uses: {}, text: null, error: null })

/** The choices for all files with conflicts. They begin again when a branch has moved. */
export const useResolution = (
  at: () => { id: number | string; merge_request_iid: number },
  conflicts: () => Conflicts | undefined,
) => {
  const files = reactive(new Map<string, FileState>())
  const stateOf = (path: string): FileState => files.get(path) ?? fresh()
  const names = computed(() => ({
    source: conflicts()?.source_branch ?? '',
    target: conflicts()?.target_branch ?? '',
  }))
  const paths = computed(() =>
    (conflicts()?.files ?? []).filter((file) => !file.problem).map(({ path }) => path),
  )

  const load = async (path: string) => {
    const seen = conflicts()
    if (!seen || files.get(path)?.sections) return
    files.set(path, fresh())
    try {
      const file = await api('GET /-/projects/:id/merge_requests/:merge_request_iid/conflicts/file', {
        ...at(),
        path,
      })
      const now = conflicts()
      if (seen.source_sha !== now?.source_sha || seen.target_sha !== now.target_sha) return
      files.set(path, { ...fresh(), sections: file.sections })
    } catch (error) {
      files.set(path, { ...fresh(), error: messageOf(error) })
    }
  }
  watch(
    () => `${conflicts()?.source_sha} ${conflicts()?.target_sha}`,
    () => {
      files.clear()
      for (const path of paths.value) void load(path)
    },
    { immediate: true },
  )

  const leftIn = (path: string): number => {
    const { sections, uses, text } = stateOf(path)
    if (!sections) return 1
    if (text !== null) return markersLeft(sections, text) > 0 ? 1 : 0
    return conflictsIn(sections).filter((conflict) => !uses[conflict.id]).length
  }
  const textOf = (path: string): string => {
    const { sections, uses, text } = stateOf(path)
    return text ?? plainEnds(resultOf(sections ?? [], uses, names.value))
  }
  const left = computed(() => paths.value.reduce((sum, path) => sum + leftIn(path), 0))
  const isDirty = computed(() =>
    [...files.values()].some((file) => file.text !== null || Object.keys(file.uses).length > 0),
  )
  return {
    names,
    paths,
    left,
    isDirty,
    stateOf,
    leftIn,
    textOf,
    load,
    /** Chooses a version; the same choice once more takes it back. */
    choose: (path: string, id: string, use: Use) => {
      const { uses } = stateOf(path)
      if (uses[id] === use) delete uses[id]
      else uses[id] = use
    },
    chooseAll: (path: string, use: Use) => {
      const { sections, uses } = stateOf(path)
      for (const conflict of conflictsIn(sections ?? [])) uses[conflict.id] = use
    },
    write: (path: string, text: string | null) => {
      stateOf(path).text = text
    },
    /** What the API gets: the content of files that were written by hand, the choices of the others. */
    answer: () =>
      paths.value.map((path) => {
        const { sections, uses, text } = stateOf(path)
        return text === null
          ? { path, sections: Object.entries(uses).map(([id, use]) => ({ id, use })) }
          : { path, content: withEndsOf(sections ?? [], text) }
      }),
  }
}

export type Resolution = ReturnType<typeof useResolution>
