import { ref } from 'vue'
import { api } from '../../api/client.ts'
import type { Todo } from '../../api/schema.gen.ts'
import { useAction } from '../../api/useAction.ts'
import { useBulk } from '../../api/useBulk.ts'
import { useToasts } from '../../stores/toasts.ts'
import { t } from '../../locales/t.ts'

/** Answers that change when an item is done. */
const STALE = ['GET /todos', 'GET /user_counts'] as const

/** Being done with items, one or all of a filter, and putting one back. */
export const useTodoActions = () => {
  /** The item that a request is in progress for. */
  const under = ref<number | null>(null)
  const toasts = useToasts()
  const restore = one('POST /todos/:id/mark_as_pending')
  const finish = one('POST /todos/:id/mark_as_done', (id) =>
    toasts.show({
      text: t('todos.to_do_marked_as_done'),
      action: { label: t('common.undo'), run: () => void restore.run(id) },
    }),
  )
  function one(
    endpoint: 'POST /todos/:id/mark_as_done' | 'POST /todos/:id/mark_as_pending',
    onDone?: (id: number) => void,
  ) {
    return useAction({
      onDone: (_todo, id) => onDone?.(id),
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
  }
  const finishAll = useAction({
    run: (filter: { action?: string; type?: string; project_id?: number }) =>
      api('POST /todos/mark_as_done', filter as never),
    invalidates: STALE,
    done: t('todos.all_done'),
  })
  const counted = (count: number) => t('count.to_dos', { count })
  const restoreMany = useBulk({
    invalidates: STALE,
    counted,
    done: (count) => t('todos.items_put_back', { items: counted(count) }),
    send: ({ id }: Pick<Todo, 'id'>) => api('POST /todos/:id/mark_as_pending', { id }),
  })
  const finishMany = useBulk({
    invalidates: STALE,
    counted,
    done: (count) => t('todos.items_marked_as_done', { items: counted(count) }),
    send: ({ id }: Pick<Todo, 'id'>) => api('POST /todos/:id/mark_as_done', { id }),
    undo: (todos) => restoreMany.run(todos),
  })
  return {
    finishMany,
    restoreMany,
    under,
    finish,
    restore,
    finishAll,
  }
}
