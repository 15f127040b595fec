import type { Project } from '../projects/index.ts'

/** Whether the commits of a merge request become one: as wanted, as far as the project leaves the choice. */
export function squashOf(project: Project, wanted: boolean | undefined): boolean {
  const { squash_option: option } = project
  if (option === 'always') return true
  if (option === 'never') return false
  return wanted ?? option === 'default_on'
}
