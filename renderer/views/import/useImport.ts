import { computed, type MaybeRefOrGetter, toValue } from 'vue'
import { api } from '../../api/client.ts'
import { useAction } from '../../api/useAction.ts'
import { t } from '../../locales/t.ts'

const STALE = [
  'GET /-/imports',
  'GET /-/projects/:id/import_*',
  'GET /projects/:id',
  'GET /projects/:id/import',
]

/** Cancels and retries an import. */
export const useImport = (id: MaybeRefOrGetter<number>) => {
  const cancel = useAction({
    invalidates: STALE,
    done: t('import.import_canceled'),
    run: () => api('POST /-/projects/:id/import/cancel', { id: toValue(id) }),
  })
  const retry = useAction({
    invalidates: STALE,
    run: () => api('POST /-/projects/:id/import/retry', { id: toValue(id) }),
  })
  return { cancel, retry, isBusy: computed(() => cancel.pending.value || retry.pending.value) }
}
