import { inject, type ComputedRef, type InjectionKey } from 'vue'
import type { Project } from '../api/types.ts'

/** The project of the current URL; the frame provides it to all views inside a project. */
export const PROJECT: InjectionKey<ComputedRef<Project>> = Symbol('project')

/** The project that the address is in. Only for views that are routed inside a project. */
export const useProject = (): ComputedRef<Project> => {
  const project = inject(PROJECT)
  if (!project) throw new Error('useProject() needs a view inside a project')
  return project
}
