import { computed, ref, type Ref } from 'vue'
import { isFound, type Setting, type SettingGroup } from './model.ts'
import type { useSettingsForm } from './useSettingsForm.ts'

/** The folded part of the page: what is stored and changes nothing here. */
export const STORED_ONLY = 'stored'

/**
 * What of the settings is shown: by a search, by whether they were changed, and below switches that are on. Settings
 * that only other tools read stand apart.
 */
export const useShownSettings = (
  form: ReturnType<typeof useSettingsForm>,
  state: Ref<{ search: string; show: string }>,
) => {
  /** Settings that an address leads to are shown even where their switch is off. */
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
            title: 'For other tools',
            count: storedCount.value,
            dirty: isDirtyIn(stored.value),
          },
        ]
      : []),
  ])
  return { here, stored, storedCount, themes, led, isNarrowed }
}
