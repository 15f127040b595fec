export { featureFlagById, type FeatureFlagRow } from './flags/store.ts'
export { abilities as featureFlagAbilities } from './policy.ts'
