export { followPositions, isIn, refsOf } from './follow.ts'
export type { VersionRefs } from './trace.ts'
