export type { LabelRow } from './label.ts'
export { labelsNamed } from './named.ts'
export { availableLabels, labelsByIds } from './store.ts'
export { abilities as labelAbilities, groupAbilities as groupLabelAbilities } from './policy.ts'
export { isPlanned } from './policy.ts'
export {
  labelled as plannedProjects,
  notHidden,
  projectsOf as projectsOfOwner,
  readable,
  treeOf,
} from './reach.ts'
export { checkOpen as checkPlanned } from './twin.ts'
