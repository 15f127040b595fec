import { computed } from 'vue'
import { useApi } from '../../api/useApi.ts'
import { useSession } from '../../stores/session.ts'

/** Counts of what waits for the user; the event stream keeps them up to date. */
export const useWaiting = () => {
  const session = useSession()
  const counts = useApi('GET /user_counts', () => (session.user ? {} : null), { staleTime: 60_000 })
  const of = (pick: (counts: { todos: number; merge_requests: number; assigned_issues: number }) => number) =>
    computed(() => (counts.data.value ? pick(counts.data.value) : 0))
  return {
    todos: of((one) => one.todos),
    mergeRequests: of((one) => one.merge_requests),
    issues: of((one) => one.assigned_issues),
  }
}
