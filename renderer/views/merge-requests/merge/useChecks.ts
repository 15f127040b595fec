import { computed } from 'vue'
import { usePage } from '../../../api/usePage.ts'
import { sumUp } from '../../repository/commit/statuses.ts'
import { useMergeRequest } from '../useMergeRequest.ts'
import type { Facts } from './obstacles.ts'

const PASSED = ['success', 'skipped']

/** What outside checks said about the head of the merge request. */
export const useChecks = () => {
  const { mr } = useMergeRequest()
  const source = computed(() => mr.value.source_project_id ?? mr.value.target_project_id)
  const page = usePage('GET /projects/:id/repository/commits/:sha/statuses', () =>
    mr.value.sha ? { id: source.value, sha: mr.value.sha, per_page: 100 } : null,
  )
  const state = computed<Facts['checks']>(() => {
    const list = page.items.value
    const sum = sumUp(list)
    if (!sum) return { words: '', state: 'none' }
    if (list.some((one) => one.status === 'failed' && !one.allow_failure))
      return { words: sum.words, state: 'failed' }
    if (list.some((one) => ['running', 'pending', 'created'].includes(one.status)))
      return { words: sum.words, state: 'running' }
    const isFine = list.every((one) => PASSED.includes(one.status) || one.allow_failure)
    return { words: sum.words, state: isFine ? 'passed' : 'failed' }
  })
  return { page, state }
}
