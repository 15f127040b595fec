export type { MilestoneRow } from './milestone.ts'
export { milestoneFor, milestonesByIds, milestoneTitled, usableMilestone } from './store.ts'
export { abilities as milestoneAbilities, groupAbilities as groupMilestoneAbilities } from './policy.ts'
