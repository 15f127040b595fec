import { computed, ref, watch } from 'vue'
import { api, type Params } from '../../api/client.ts'
import { useAction } from '../../api/useAction.ts'
import { useApi } from '../../api/useApi.ts'
import { catalogue, isFallback, isKnown, storedValue, type Setting } from './catalogue.ts'

type Values = Record<string, unknown>

/** The settings of the instance as a draft: what differs from the instance is dirty, and only that is sent. */
export const useSettingsForm = () => {
  const saved = useApi('GET /application/settings', {})
  const draft = ref<Values>({})
  const values = computed(() => (saved.data.value ?? {}) as Values)

  const groups = computed(() =>
    catalogue
      .map((group) => ({
        ...group,
        settings: group.settings.filter((setting) => isKnown(setting, values.value)),
      }))
      .filter((group) => group.settings.length > 0),
  )
  const all = computed(() => groups.value.flatMap((group) => group.settings))
  const valueOf = (setting: Setting) =>
    setting.key in draft.value ? draft.value[setting.key] : storedValue(setting, values.value)
  const isDirty = (setting: Setting) => setting.key in draft.value
  const isDefault = (setting: Setting) => isFallback(setting, valueOf(setting))
  const dirty = computed(() => all.value.filter(isDirty))

  const set = (setting: Setting, value: unknown) => {
    const { [setting.key]: _, ...others } = draft.value
    const stored = storedValue(setting, values.value)
    draft.value = value === stored || value === undefined ? others : { ...others, [setting.key]: value }
  }
  const discard = () => {
    draft.value = {}
    save.reset()
  }

  const save = useAction({
    tell: 'form',
    run: () => api('PUT /application/settings', draft.value as Params<'PUT /application/settings'>),
    done: 'Settings saved',
    onDone: async () => {
      await saved.refetch()
      draft.value = {}
    },
  })
  const errorsOf = (setting: Setting) => save.fields.value[setting.key] ?? null
  watch(draft, () => {
    if (Object.keys(save.fields.value).length > 0) save.reset()
  })

  return { saved, groups, all, valueOf, isDirty, isDefault, dirty, set, discard, save, errorsOf }
}
