import { computed, reactive, watch } from 'vue'
import {
  sentValue,
  shownValue,
  type SettingDraft,
  type SettingLine,
} from '../components/form/setting-lines.ts'

/**
 * Stored settings as a draft. `changed` holds what differs, as it is sent. What is stored may change while the draft is
 * open: fields that were not touched follow.
 */
export const useSettingDraft = (lines: readonly SettingLine[], stored: () => object | undefined) => {
  const read = (): SettingDraft => {
    const values = (stored() ?? {}) as Record<string, unknown>
    return Object.fromEntries(lines.map((line) => [line.key, shownValue(line, values[line.key])]))
  }
  let before = read()
  const draft = reactive<SettingDraft>({ ...before })
  const base = reactive<SettingDraft>({ ...before })
  watch(
    () => JSON.stringify(read()),
    () => {
      const now = read()
      for (const line of lines)
        if (draft[line.key] === before[line.key]) draft[line.key] = now[line.key] ?? ''
      Object.assign(base, now)
      before = now
    },
  )
  const dirty = computed(() => lines.filter((line) => draft[line.key] !== base[line.key]))
  const changed = computed(() =>
    Object.fromEntries(dirty.value.map((line) => [line.key, sentValue(line, draft[line.key] ?? '')])),
  )
  const discard = () => void Object.assign(draft, base)
  /** The sent values are stored now. */
  const settle = (values: object) => {
    const known = values as Record<string, unknown>
    for (const line of lines) draft[line.key] = base[line.key] = shownValue(line, known[line.key])
    before = { ...base }
  }
  return { draft, changed, dirty, isDirty: computed(() => dirty.value.length > 0), discard, settle }
}
