import { computed, ref, type Ref } from 'vue'
import { isFound, type Setting, type SettingGroup } from './model.ts'
import type { useSettingsForm } from './useSettingsForm.ts'
import { t } from '../../locales/t.ts'

/** The folded section of settings that are stored but have no effect. */
export const STORED_ONLY = 'stored'

/**
 * Filters the settings by the search, by changes from the default, and by the switches that they depend on. Settings
 * without an effect form their own section.
 */
export const useShownSettings = (
  form: ReturnType<typeof useSettingsForm>,
  state: Ref<{ search: string; show: string }>,
) => {
  /** The setting that the URL points to. It is shown even if its switch is off. */
  const led = ref<string | null>(null)
  const isNarrowed = computed(() => state.value.search !== '' || state.value.show === 'changed')

  const isShown = (setting: Setting, group: SettingGroup): boolean => {
    if (form.isDirty(setting) || form.errorsOf(setting) || setting.name === led.value) return true
    if (state.value.show === 'changed' && form.isDefault(setting)) return false
    if (state.value.search) return isFound(setting, group.title, state.value.search)
    return state.value.show === 'changed' || form.isOpen(setting)
  }
  const of = (effect: Setting['effect']) =>
    form.groups.value
      .map((group) => ({
        ...group,
        settings: group.settings.filter((one) => one.effect === effect && isShown(one, group)),
      }))
      .filter((group) => group.settings.length > 0)

  const here = computed(() => of('here'))
  const stored = computed(() => of('echo'))
  const storedCount = computed(() => stored.value.reduce((sum, group) => sum + group.settings.length, 0))
  const isDirtyIn = (groups: readonly SettingGroup[]) =>
    groups.some((group) => group.settings.some((one) => form.isDirty(one)))

  const themes = computed(() => [
    ...here.value.map((group) => ({
      name: group.name,
      title: group.title,
      count: group.settings.length,
      dirty: isDirtyIn([group]),
    })),
    ...(storedCount.value > 0
      ? [
          {
            name: STORED_ONLY,
            title: t('settings.api_compatibility'),
            count: storedCount.value,
            dirty: isDirtyIn(stored.value),
          },
        ]
      : []),
  ])
  return { here, stored, storedCount, themes, led, isNarrowed }
}
