import { computed, ref, watch } from 'vue'
import { api, type Params } from '../../api/client.ts'
import { useAction } from '../../api/useAction.ts'
import { useApi } from '../../api/useApi.ts'
import { isDefault as isDefaultValue, isSame, storedValue, translated, type Setting } from './model.ts'
import { t } from '../../locales/t.ts'

type Values = Record<string, unknown>

/** The settings of the instance as a draft: what differs from the instance is dirty, and only that is sent. */
export const useSettingsForm = () => {
  const catalogue = useApi('GET /-/settings/catalogue', {})
  const saved = useApi('GET /application/settings', {})
  const draft = ref<Values>({})
  const values = computed(() => (saved.data.value ?? {}) as Values)

  const groups = computed(() => (saved.data.value ? translated(catalogue.data.value?.groups ?? []) : []))
  const all = computed(() => groups.value.flatMap((group) => group.settings))
  const byName = computed(() => new Map(all.value.map((setting) => [setting.name, setting])))
  const stored = (setting: Setting) => storedValue(setting, values.value)
  const valueOf = (setting: Setting) =>
    setting.name in draft.value ? draft.value[setting.name] : stored(setting)
  const isDirty = (setting: Setting) => setting.name in draft.value
  const isDefault = (setting: Setting) => isDefaultValue(setting, valueOf(setting))
  const dirty = computed(() => all.value.filter(isDirty))
  /** A setting that depends on a switch is hidden while the switch is off. */
  const isOpen = (setting: Setting) => {
    const above = setting.below === null ? undefined : byName.value.get(setting.below)
    return above === undefined || valueOf(above) === true
  }

  const set = (setting: Setting, value: unknown) => {
    const { [setting.name]: _, ...others } = draft.value
    const isAsBefore = value === undefined || isSame(setting, value, stored(setting))
    draft.value = isAsBefore ? others : { ...others, [setting.name]: value }
  }
  const discard = () => {
    draft.value = {}
    save.reset()
  }
  /** Turning a switch on also sends its required settings, even if unchanged. */
  const withNeeds = (): Values => {
    const needed = dirty.value.filter((one) => draft.value[one.name] === true).flatMap((one) => one.needs)
    const unchanged = needed.filter((name) => !(name in draft.value) && name in values.value)
    return { ...draft.value, ...Object.fromEntries(unchanged.map((name) => [name, values.value[name]])) }
  }

  const save = useAction({
    report: 'form',
    run: () => api('PUT /application/settings', withNeeds() as Params<'PUT /application/settings'>),
    done: t('settings.settings_saved'),
    onDone: async () => {
      await saved.refetch()
      draft.value = {}
    },
  })
  const errorsOf = (setting: Setting) => save.fields.value[setting.name] ?? null
  watch(draft, () => {
    if (Object.keys(save.fields.value).length > 0) save.reset()
  })

  return {
    catalogue,
    saved,
    groups,
    all,
    valueOf,
    isDirty,
    isDefault,
    isOpen,
    dirty,
    set,
    discard,
    save,
    errorsOf,
  }
}
