import { computed, onScopeDispose, shallowRef, watch, type ComputedRef, type ShallowRef } from 'vue'
import { api, apiPage } from '../../api/client.ts'
import { useProject } from '../../composables/useProject.ts'
import { resolveRefPath, splitRefPath, type RefPath } from './refs.ts'

const PER_PAGE = 100

/** Branches and tags whose names begin with a prefix, and whether these are all of them. */
const searchNames = async (id: number, prefix: string, signal: AbortSignal) => {
  const search = `^${prefix}`
  const [branches, tags] = await Promise.all([
    apiPage('GET /projects/:id/repository/branches', { id, search, per_page: PER_PAGE }, { signal }),
    api('GET /projects/:id/repository/tags', { id, search, per_page: PER_PAGE }, { signal }),
  ])
  const names = [...branches.items, ...tags].map((one) => one.name)
  return { names, isWhole: branches.items.length < PER_PAGE && tags.length < PER_PAGE }
}

/**
 * The ref and the path in `<ref>/<path>` of the address. Null only until the first answer; a name that was found once
 * is not asked for again.
 */
export const useRefPath = (
  rest: () => string,
): {
  resolved: Readonly<ShallowRef<RefPath | null>>
  error: Readonly<ShallowRef<Error | null>>
  ref: ComputedRef<string>
  retry: () => void
} => {
  const project = useProject()
  const resolved = shallowRef<RefPath | null>(null)
  const error = shallowRef<Error | null>(null)
  const known = new Set<string>()
  let abort = new AbortController()
  onScopeDispose(() => abort.abort())

  const resolve = async (text: string) => {
    abort.abort()
    abort = new AbortController()
    const { signal } = abort
    error.value = null
    const { id, default_branch } = project.value
    const usual = default_branch ?? null
    const near = splitRefPath(text || (usual ?? ''), [...known, ...(usual ? [usual] : [])])
    if (known.has(near.ref) || near.ref === usual) {
      resolved.value = near
      return
    }
    try {
      const found = await resolveRefPath(text, usual, (prefix) => searchNames(id, prefix, signal))
      if (signal.aborted) return
      known.add(found.ref)
      resolved.value = found
    } catch (cause) {
      if (!signal.aborted) error.value = cause as Error
    }
  }
  watch(rest, (text) => void resolve(text), { immediate: true })

  return {
    resolved,
    error,
    ref: computed(() => resolved.value?.ref ?? ''),
    retry: () => void resolve(rest()),
  }
}
