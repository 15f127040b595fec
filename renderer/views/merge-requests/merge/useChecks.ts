import { computed } from 'vue'
import { usePage } from '../../../api/usePage.ts'
import { runLook } from '../../../composables/runStatus.ts'
import { sumUp } from '../../repository/commit/statuses.ts'
import { useMergeRequest } from '../useMergeRequest.ts'
import type { MergeState } from './obstacles.ts'
import { t } from '../../../locales/t.ts'

const PASSED = ['success', 'skipped']
const FAILED = ['failed', 'canceled']

/** The status of the head pipeline, or the external statuses of that commit if there is no pipeline. */
export const useChecks = () => {
  const { mr } = useMergeRequest()
  const source = computed(() => mr.value.source_project_id ?? mr.value.target_project_id)
  const page = usePage('GET /projects/:id/repository/commits/:sha/statuses', () =>
    mr.value.sha && !mr.value.head_pipeline ? { id: source.value, sha: mr.value.sha, per_page: 100 } : null,
  )
  const ofPipeline = computed<MergeState['checks'] | null>(() => {
    const pipeline = mr.value.head_pipeline
    if (!pipeline) return null
    const words = t('merge_requests.pipeline_id_status', { id: pipeline.id, status: verb(pipeline.status) })
    if (PASSED.includes(pipeline.status)) return { words, state: 'passed' }
    return { words, state: FAILED.includes(pipeline.status) ? 'failed' : 'running' }
  })
  const state = computed<MergeState['checks']>(() => {
    if (ofPipeline.value) return ofPipeline.value
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
  return { state }
}

const verb = (status: string) => {
  const { word } = runLook(status)
  if (status === 'manual') return t('merge_requests.waiting_for_a_manual_action')
  return PASSED.includes(status) || FAILED.includes(status) ? word : t('merge_requests.is_word', { word })
}
