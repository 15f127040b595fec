import { SlidersHorizontal } from '@lucide/vue'
import { computed, type ComputedRef } from 'vue'
import { useApi } from '../../../api/useApi.ts'
import { useSession } from '../../../stores/session.ts'
import { serverText } from '../../../locales/server-texts.ts'
import type { PaletteItem } from './usePaletteItems.ts'

const SHORTEST = 3

/**
 * The settings of the instance that a query may mean, for administrators: by their words, or by the name that other
 * programs use. One letter would find all of them.
 */
export const usePaletteSettings = (search: ComputedRef<string>): ComputedRef<PaletteItem[]> => {
  const session = useSession()
  const isAsked = computed(() => session.isAdmin && search.value.length >= SHORTEST)
  const catalogue = useApi('GET /-/settings/catalogue', () => (isAsked.value ? {} : null))
  const isName = computed(() => search.value.includes('_'))
  return computed(() => {
    if (!isAsked.value) return []
    return (catalogue.data.value?.groups ?? []).flatMap((group) =>
      group.settings.map((one) => ({
        id: `setting:${one.name}`,
        label: isName.value ? one.name : serverText(one.label),
        hint: serverText(isName.value ? one.label : group.title),
        icon: SlidersHorizontal,
        to: `/admin/application_settings#${one.name}`,
      })),
    )
  })
}
