import type { Project } from '../api/types.ts'
import { ancestry, projectUrl } from './paths.ts'
import type { Crumb } from './useCrumbs.ts'

/** The steps down to a project: its groups or its owner, then itself. Without `last`, the project is where we are. */
export const projectCrumbs = (project: Project, ...last: Crumb[]): Crumb[] => {
  const owners = ancestry(project.namespace.full_path).map((step) => ({
    label: step.name,
    to: `/${step.full_path}`,
  }))
  const own: Crumb = { label: project.name }
  if (last.length > 0) own.to = projectUrl(project.path_with_namespace)
  return [...owners, own, ...last]
}
