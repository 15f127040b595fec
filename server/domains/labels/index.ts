export type { LabelRow } from './label.ts'
export { labelsNamed } from './named.ts'
export { usableLabel } from './find.ts'
export { groupOwner, projectOwner, type LabelOwner } from './owner.ts'
export { availableLabels, labelsByIds, projectIdsBelow, titled as labelsTitled } from './store.ts'
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
