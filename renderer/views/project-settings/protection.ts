import { KeyRound, Shield, Users } from '@lucide/vue'
import type { Item } from '../../api/client.ts'
import type { PickerItem } from '../../components/form/picker.ts'
import { t } from '../../locales/t.ts'

export type ProtectedBranch = Item<'GET /projects/:id/protected_branches'>
export type ProtectedTag = Item<'GET /projects/:id/protected_tags'>
type Entry = ProtectedBranch['push_access_levels'][number]

/** The access to one action on a protected branch or tag: roles, users, groups and deploy keys. */
export type Whom = {
  access_level?: 0 | 30 | 40 | 60
  user_id?: number
  group_id?: number
  deploy_key_id?: number
}
/** The same as it is picked; `id` where it is stored already. */
export type Allowed = PickerItem & { whom: Whom; id?: number }

export const ROLES: readonly { level: 0 | 30 | 40 | 60; label: string }[] = [
  { level: 40, label: t('project_settings.maintainers') },
  { level: 30, label: t('project_settings.developers_and_maintainers') },
  { level: 60, label: t('project_settings.administrators') },
  { level: 0, label: t('common.nobody') },
]

export const roleItem = (level: 0 | 30 | 40 | 60): Allowed => ({
  value: `role:${level}`,
  label: ROLES.find((one) => one.level === level)?.label ?? t('project_settings.level_level', { level }),
  note: t('project_settings.role'),
  icon: Shield,
  whom: { access_level: level },
})

/** A stored entry as something picked. */
export const allowedOf = (entry: Entry): Allowed => {
  const { id } = entry
  const label = entry.access_level_description
  if (entry.user_id !== null)
    return { id, value: `user:${entry.user_id}`, label, person: true, whom: { user_id: entry.user_id } }
  if (entry.group_id !== null)
    return { id, value: `group:${entry.group_id}`, label, icon: Users, whom: { group_id: entry.group_id } }
  if (entry.deploy_key_id !== null)
    return {
      id,
      value: `key:${entry.deploy_key_id}`,
      label,
      icon: KeyRound,
      whom: { deploy_key_id: entry.deploy_key_id },
    }
  return { ...roleItem(entry.access_level as 0), id }
}

/** In a few words: “Maintainers, Ines Okafor”. */
export const allowedLabel = (entries: readonly Entry[]): string =>
  entries.length === 0
    ? t('project_settings.nobody')
    : entries.map((entry) => allowedOf(entry).label).join(', ')

/** The request body that changes the stored entries to the selected ones. */
export const changesOf = (before: readonly Allowed[], after: readonly Allowed[]) => [
  ...before
    .filter((one) => !after.some((other) => other.value === one.value))
    .map((one) => ({ id: one.id as number, _destroy: true })),
  ...after.filter((one) => !before.some((other) => other.value === one.value)).map((one) => one.whom),
]

/** “No one” excludes other entries; adding another entry replaces it. */
export const withPicked = (list: readonly Allowed[], item: Allowed): Allowed[] => {
  if (item.whom.access_level === 0) return [item]
  return [...list.filter((one) => one.whom.access_level !== 0), item]
}
