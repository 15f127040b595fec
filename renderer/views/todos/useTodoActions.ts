import { ref } from 'vue'
import { api } from '../../api/client.ts'
import { useAction } from '../../api/useAction.ts'

/** Answers that change when an item is done. */
const STALE = ['GET /todos', 'GET /user_counts'] as const

/** Being done with items, one or all of a filter, and putting one back. */
export const useTodoActions = () => {
  /** The item that a request is under way for. */
  const under = ref<number | null>(null)
  const one = (endpoint: 'POST /todos/:id/mark_as_done' | 'POST /todos/:id/mark_as_pending') =>
    useAction({
      run: async (id: number) => {
        under.value = id
        try {
          return await api(endpoint, { id })
        } finally {
          under.value = null
        }
      },
      invalidates: STALE,
    })
  const finishAll = useAction({
    run: (filter: { action?: string; type?: string; project_id?: number }) =>
      api('POST /todos/mark_as_done', filter as never),
    invalidates: STALE,
    done: 'All done',
  })
  return {
    under,
    finish: one('POST /todos/:id/mark_as_done'),
    restore: one('POST /todos/:id/mark_as_pending'),
    finishAll,
  }
}
