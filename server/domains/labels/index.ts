export type { LabelRow } from './label.ts'
export { labelsNamed } from './named.ts'
export { availableLabels, labelsByIds } from './store.ts'
export { abilities as labelAbilities, groupAbilities as groupLabelAbilities } from './policy.ts'
