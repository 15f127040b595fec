import { computed } from 'vue'
import { usePage } from '../../api/usePage.ts'
import type { Filter } from '../../components/filter/filters.ts'
import { runLook } from '../../composables/runStatus.ts'
import { useUrlState } from '../../composables/useUrlState.ts'
import { SOURCE_CHOICES } from './pipeline-words.ts'
import { t } from '../../locales/t.ts'

const PER_PAGE = 50
const STATUSES = [
  'running',
  'pending',
  'success',
  'failed',
  'canceled',
  'skipped',
  'manual',
  'scheduled',
  'created',
]

export const FILTERS: readonly Filter[] = [
  {
    key: 'status',
    label: t('pipelines.status'),
    kind: 'choice',
    options: STATUSES.map((value) => ({ value, label: runLook(value).word })),
  },
  { key: 'ref', label: t('common.branch'), kind: 'branch' },
  { key: 'username', label: t('pipelines.triggered_by'), kind: 'people' },
  { key: 'source', label: t('pipelines.trigger'), kind: 'choice', options: SOURCE_CHOICES },
]
const keys = FILTERS.map((one) => one.key)

/** Filters and page of the pipeline list in the URL, and the matching rows. */
export const usePipelineList = (project: () => number) => {
  const { state, set } = useUrlState({
    search: '',
    status: '',
    ref: '',
    username: '',
    source: '',
    page: 1,
  })
  const given = computed(() =>
    Object.fromEntries(
      ['search', ...keys].flatMap((key) => {
        const value = state.value[key as 'ref']
        return value === '' ? [] : [[key, value]]
      }),
    ),
  )
  const list = usePage(
    'GET /-/projects/:id/pipelines',
    () => ({ id: project(), ...given.value, page: state.value.page, per_page: PER_PAGE }) as never,
  )
  const isFiltered = computed(() => Object.keys(given.value).length > 0)
  const clear = () => set({ search: '', status: '', ref: '', username: '', source: '' })
  return { state, set, list, isFiltered, clear, perPage: PER_PAGE }
}
