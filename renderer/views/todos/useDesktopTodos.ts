import { watch } from 'vue'
import { api } from '../../api/client.ts'
import { useWaiting } from '../../components/frame/useWaiting.ts'
import { useSession } from '../../stores/session.ts'
import { newTodos, TOLD_AT_ONCE } from './new-todos.ts'
import { todoWords } from './todo-words.ts'

/**
 * In the application, the icon shows the number of pending to-dos, and the system notifies about new
 * ones. In a browser nothing of this happens.
 */
export const useDesktopTodos = () => {
  const { desktop } = window
  if (!desktop) return
  const session = useSession()
  const waiting = useWaiting()
  let newest: number | null = null
  watch(
    () => session.user?.id,
    () => {
      newest = null
    },
  )
  watch(
    [() => session.user?.id, waiting.todos],
    async ([userId, count]) => {
      void desktop.setBadge(userId === undefined ? 0 : count)
      if (userId === undefined) return
      const todos = await api('GET /todos', { per_page: TOLD_AT_ONCE }).catch(() => [])
      const fresh = newTodos(todos, newest)
      newest = Math.max(newest ?? 0, ...todos.map((todo) => todo.id))
      if (document.hasFocus()) return
      for (const todo of fresh) {
        const words = todoWords(todo, userId)
        void desktop.notify({ title: words.title, body: `${words.location} · ${words.said}`, path: words.to })
      }
    },
    { immediate: true },
  )
}
