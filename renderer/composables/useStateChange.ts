import { useToasts } from '../stores/toasts.ts'
import { t } from '../locales/t.ts'

type Change = (patch: { state_event: 'close' | 'reopen' }) => Promise<unknown>

/** Closes or reopens an issue or a merge request, and offers Undo. `name`: `#3`. */
export const useStateChange = (edit: Change, name: () => string) => {
  const toasts = useToasts()
  return async (event: 'close' | 'reopen') => {
    if (!(await edit({ state_event: event }))) return
    const opposite = event === 'close' ? 'reopen' : 'close'
    toasts.show({
      text: `${name()} ${event === 'close' ? t('common.closed') : t('common.reopened')}`,
      action: { label: t('common.undo'), run: () => void edit({ state_event: opposite }) },
    })
  }
}
