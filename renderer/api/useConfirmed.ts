import { shallowRef } from 'vue'
import { useAction, type ActionOptions } from './useAction.ts'

/** A write about one row that asks first: `ask` names the row, then `ConfirmRow` runs the write or forgets the row. */
export const useConfirmed = <T, R>(options: ActionOptions<[T], R>) => {
  const row = shallowRef<T | null>(null)
  const { run, pending } = useAction<[T], R>({
    ...options,
    onDone: async (result, one) => {
      row.value = null
      await options.onDone?.(result, one)
    },
  })
  const ask = (one: T | null) => {
    row.value = one
  }
  const confirm = () => {
    if (row.value !== null) void run(row.value)
  }
  return { row, pending, run, ask, confirm }
}

export type Confirmed<T> = ReturnType<typeof useConfirmed<T, unknown>>
