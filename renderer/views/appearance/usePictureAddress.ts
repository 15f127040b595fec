import { onScopeDispose, ref, watch } from 'vue'
import type { Draft } from './useAppearanceForm.ts'

/** Where a picture is to be had as it is written: the chosen file before it is sent, else what is stored. */
export const usePictureAddress = (draft: () => Draft, stored: () => string | null | undefined) => {
  const address = ref<string | null>(null)
  let made: string | null = null
  const forget = () => {
    if (made) URL.revokeObjectURL(made)
    made = null
  }
  watch(
    [draft, stored],
    ([file, kept]) => {
      forget()
      if (file) made = URL.createObjectURL(file)
      address.value = made ?? (file === null ? null : (kept ?? null))
    },
    { immediate: true },
  )
  onScopeDispose(forget)
  return address
}
