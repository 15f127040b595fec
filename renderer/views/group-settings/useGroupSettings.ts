import { computed } from 'vue'
import { api } from '../../api/client.ts'
import { useAction } from '../../api/useAction.ts'
import type { SettingSection } from '../../components/form/setting-lines.ts'
import { groupCrumbs, groupUrl } from '../../composables/groupCrumbs.ts'
import { useCrumbs } from '../../composables/useCrumbs.ts'
import { useGroup } from '../../composables/useGroup.ts'
import { useSettingDraft } from '../../composables/useSettingDraft.ts'
import type { CredentialOwner } from '../credentials/owner.ts'
import { t } from '../../locales/t.ts'

/** Cached answers that are stale after a change of a group. */
export const STALE = ['GET /groups*', 'GET /namespaces']

/** The first part; “Settings” in the breadcrumb links to it. */
const FIRST = t('common.general')

/** The breadcrumb of a part of the settings. */
export const useSettingsCrumbs = (label: string) => {
  const group = useGroup()
  useCrumbs(() =>
    groupCrumbs(
      group.value,
      label === FIRST
        ? { label: t('common.settings') }
        : { label: t('common.settings'), to: groupUrl(group.value.full_path, 'edit') },
      { label },
    ),
  )
  return group
}

/** The group as the owner of tokens. */
export const useCredentialOwner = (label: string) => {
  const group = useSettingsCrumbs(label)
  return computed<CredentialOwner>(() => ({
    kind: 'group',
    id: group.value.id,
    name: group.value.name,
    level: group.value.level ?? 0,
  }))
}

/** A part of the settings that is a list of lines: the draft, and its save. */
export const useGroupSettings = (label: string, sections: readonly SettingSection[]) => {
  const group = useSettingsCrumbs(label)
  const form = useSettingDraft(
    sections.flatMap((section) => section.lines),
    () => group.value,
  )
  const save = useAction({
    report: 'form',
    invalidates: STALE,
    run: () => api('PUT /groups/:id', { id: group.value.id, ...form.changed.value }),
    done: t('common.saved'),
    onDone: (saved) => form.settle(saved),
  })
  return { group, form, save }
}
