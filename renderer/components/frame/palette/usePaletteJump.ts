import { CircleDot, FileText, GitBranch, GitPullRequest, UserRound } from '@lucide/vue'
import { refDebounced } from '@vueuse/core'
import { computed, type Component, type ComputedRef } from 'vue'
import type { Result } from '../../../api/client.ts'
import { useApi } from '../../../api/useApi.ts'
import { useRecent } from '../../../stores/recent.ts'
import { useSession } from '../../../stores/session.ts'
import type { PaletteItem } from './usePaletteItems.ts'

type Target = Result<'GET /-/jump'>[number]
type Kind = Target['kind']

const ICONS: Readonly<Record<Kind, Component>> = {
  merge_request: GitPullRequest,
  issue: CircleDot,
  file: FileText,
  branch: GitBranch,
  user: UserRound,
}

/** Projects whose branches and files are searched. */
const PROJECTS = 5

const itemOf = (target: Target): PaletteItem => ({
  id: `${target.kind}:${target.key}`,
  label: target.title,
  hint: [target.reference, target.project_path].filter(Boolean).join(' · '),
  words: [target.reference, target.project_path].filter(Boolean).join(' '),
  icon: ICONS[target.kind],
  to: target.to,
  isFound: true,
})

/**
 * Search results of the instance for the palette, by kind: merge requests and issues of all projects; branches and files of the
 * current and recent projects.
 */
export const usePaletteJump = (
  search: ComputedRef<string>,
  project: () => string | null,
): ComputedRef<Record<Kind, PaletteItem[]>> => {
  const session = useSession()
  const recent = useRecent()
  const text = refDebounced(search, 100)
  const projectIds = computed(() => {
    const projects = recent.list.filter((one) => one.kind === 'project')
    const isCurrent = (path: string) => path === project()
    return [
      ...projects.filter((one) => isCurrent(one.full_path)),
      ...projects.filter((one) => !isCurrent(one.full_path)),
    ]
      .slice(0, PROJECTS)
      .map((one) => one.id)
  })
  const targets = useApi(
    'GET /-/jump',
    () => (session.user && text.value ? { search: text.value, project_ids: projectIds.value } : null),
    { keepPrevious: true },
  )
  return computed(() => {
    const items: Record<Kind, PaletteItem[]> = {
      merge_request: [],
      issue: [],
      file: [],
      branch: [],
      user: [],
    }
    if (search.value) for (const target of targets.data.value ?? []) items[target.kind].push(itemOf(target))
    return items
  })
}
