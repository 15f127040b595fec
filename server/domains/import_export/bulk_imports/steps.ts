import { children } from './children.ts'
import type { Desk } from './desk.ts'
import { beginGroup } from './group-begin.ts'
import { takeGroup } from './group-take.ts'
import { beginProject } from './project-begin.ts'
import { takeProject } from './project-take.ts'
import type { EntityRow, Step } from './state.ts'
import { ask, wait } from './waiting.ts'

/** What is done in each step. One that was cut off is done once more. */
export type Steps = Readonly<Record<Exclude<Step, 'done'>, (desk: Desk) => Promise<void>>>

const OF_GROUPS: Steps = { begin: beginGroup, ask, wait, take: takeGroup, children }
const OF_PROJECTS: Steps = {
  begin: beginProject,
  ask,
  wait,
  take: takeProject,
  children: () => Promise.resolve(),
}

export function stepsOf({ source_type }: EntityRow): Steps {
  return source_type === 'group_entity' ? OF_GROUPS : OF_PROJECTS
}
