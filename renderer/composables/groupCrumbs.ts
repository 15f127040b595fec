import type { GroupDetail } from '../api/types.ts'
import { ancestry, encodePath } from './paths.ts'
import type { Crumb } from './useCrumbs.ts'
import { t } from '../locales/t.ts'

/** The address of a page of a group: `groupUrl('a/b', 'group_members')` → `/groups/a/b/-/group_members`. */
export const groupUrl = (fullPath: string, rest = ''): string =>
  rest ? `/groups/${encodePath(fullPath)}/-/${rest}` : `/groups/${encodePath(fullPath)}`

/** The steps down to a group, then itself. Without `last`, the group is where we are. */
export const groupCrumbs = (group: Pick<GroupDetail, 'name' | 'full_path'>, ...last: Crumb[]): Crumb[] => {
  const above = ancestry(group.full_path)
    .slice(0, -1)
    .map((step) => ({ label: step.name, to: groupUrl(step.full_path) }))
  const own: Crumb = { label: group.name }
  if (last.length > 0) own.to = groupUrl(group.full_path)
  return [{ label: t('common.groups'), to: '/groups' }, ...above, own, ...last]
}
