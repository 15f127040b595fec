export type { MilestoneRow } from './milestone.ts'
export { milestoneFor, milestonesByIds, milestoneTitled } from './store.ts'
export { abilities as milestoneAbilities, groupAbilities as groupMilestoneAbilities } from './policy.ts'
