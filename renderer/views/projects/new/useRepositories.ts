import { reactive, ref } from 'vue'
import { messageOf } from '../../../api/errors.ts'
import { useAction } from '../../../api/useAction.ts'
import { slug } from '../../../composables/slug.ts'

/** A repository of another host, whichever kind of host it is. */
export type Offered = {
  key: string
  full_name: string
  description: string | null
  imported_as: string | null
}
/** The target of a selected repository, and the result of its import request. */
export type Wish = { namespace: string; name: string; problem: string | null; path: string | null }

/**
 * Repositories of another host, loaded page by page. Each selected one has its own target. `begin` requests the import of all
 * selected ones that are not requested yet; a rejected one keeps its error message.
 */
export const useRepositories = (options: {
  look: (search: string, page: number) => Promise<{ rows: Offered[]; nextPage: number | null }>
  begin: (key: string, wish: Wish) => Promise<{ full_path: string }>
  namespace: () => string
}) => {
  const found = ref<Offered[] | null>(null)
  const search = ref('')
  const nextPage = ref<number | null>(null)
  const chosen = reactive(new Map<string, Wish>())

  const look = useAction({
    report: 'form',
    run: async (which: number = 1) => {
      const { rows, nextPage: next } = await options.look(search.value, which)
      found.value = which === 1 ? rows : [...(found.value ?? []), ...rows]
      nextPage.value = next
    },
  })
  const toggle = (one: Offered) => {
    if (chosen.has(one.key)) chosen.delete(one.key)
    else
      chosen.set(one.key, {
        namespace: options.namespace(),
        name: slug(one.full_name.split('/').at(-1) ?? '') || 'project',
        problem: null,
        path: null,
      })
  }
  const start = useAction({
    report: 'form',
    invalidates: ['GET /projects', 'GET /-/imports'],
    run: async () => {
      for (const [key, wish] of chosen) {
        if (wish.path) continue
        wish.problem = null
        try {
          wish.path = (await options.begin(key, wish)).full_path
        } catch (error) {
          wish.problem = messageOf(error)
        }
      }
      return [...chosen.values()]
    },
  })
  const again = () => {
    found.value = null
    chosen.clear()
    look.reset()
  }
  return { found, search, nextPage, chosen, look, toggle, start, again }
}
export type Repositories = ReturnType<typeof useRepositories>
