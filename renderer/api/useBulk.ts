import { ref } from 'vue'
import { t } from '../locales/t.ts'
import { useToasts } from '../stores/toasts.ts'
import { messageOf } from './errors.ts'
import { useAction } from './useAction.ts'

export type BulkOptions<Row, A extends unknown[]> = {
  /** Changes one row. */
  send: (row: Row, ...args: A) => Promise<unknown>
  invalidates: readonly string[]
  /** The rows in words: "3 branches". */
  counted: (count: number) => string
  /** What happened to so many rows. */
  done: (count: number) => string
  /** Takes back what was done; the message at the end offers it. */
  undo?: (rows: readonly Row[], ...args: A) => unknown
  onDone?: () => void
}

/**
 * Changes many rows, one after another. `share` counts them. Refused rows do not stop the others; a message says how many
 * there were and why the first of them was refused.
 */
export const useBulk = <Row, A extends unknown[]>(options: BulkOptions<Row, A>) => {
  const toasts = useToasts()
  const share = ref(0)
  const action = useAction({
    invalidates: options.invalidates,
    run: async (rows: readonly Row[], ...args: A) => {
      const changed: Row[] = []
      const refusals: string[] = []
      share.value = 0
      for (const row of rows) {
        await options
          .send(row, ...args)
          .then(() => changed.push(row))
          .catch((error: unknown) => refusals.push(messageOf(error)))
        share.value += 1
      }
      if (refusals.length > 0)
        toasts.show({
          text: t('pick.items_not_changed_refused', {
            items: options.counted(refusals.length),
            refused: refusals[0],
          }),
          kind: 'bad',
        })
      return changed
    },
    onDone: (changed, _rows, ...args) => {
      const { undo } = options
      if (changed.length > 0)
        toasts.show({
          text: options.done(changed.length),
          action: undo && { label: t('common.undo'), run: () => void undo(changed, ...args) },
        })
      options.onDone?.()
    },
  })
  return { run: action.run, pending: action.pending, share }
}
