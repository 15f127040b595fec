export { awardEndpoints } from './award-endpoints.ts'
export { awardable, type Awardable, type AwardKind } from './awardable.ts'
export { toggleAward } from './service.ts'
export type { AwardRow } from './store.ts'
