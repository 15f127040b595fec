import { computed, inject } from 'vue'
import { groupCrumbs, groupUrl } from '../../composables/groupCrumbs.ts'
import { projectUrl } from '../../composables/paths.ts'
import { projectCrumbs } from '../../composables/projectCrumbs.ts'
import { useCrumbs } from '../../composables/useCrumbs.ts'
import { GROUP } from '../../composables/useGroup.ts'
import { PROJECT } from '../../composables/useProject.ts'
import type { FilterOwner } from '../filter/filters.ts'

/** The owner of a list of issues or merge requests: the project or group of the address, or the whole instance. */
export const useListOwner = (title: string) => {
  const project = inject(PROJECT, null)
  const group = inject(GROUP, null)
  useCrumbs(() => {
    if (project) return projectCrumbs(project.value, { label: title })
    return group ? groupCrumbs(group.value, { label: title }) : [{ label: title }]
  })
  const owner = computed<FilterOwner>(() => {
    if (project) return { kind: 'project', id: project.value.id }
    return group ? { kind: 'group', id: group.value.id } : null
  })
  /** Returns the address of a page of the owner, such as `issues/new`; none for the whole instance. */
  const url = computed(() => {
    if (project) return (rest: string) => projectUrl(project.value.path_with_namespace, rest)
    return group ? (rest: string) => groupUrl(group.value.full_path, rest) : undefined
  })
  return { project, owner, url }
}
