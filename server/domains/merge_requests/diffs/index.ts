export { diffsOf, latestDiff } from './latest.ts'
export { commitIds as commitIdsOf } from './store.ts'
export type { DiffVersionRow } from './store.ts'
