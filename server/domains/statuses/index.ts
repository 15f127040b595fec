export { latestStatus, summaryOf } from './summary.ts'
export type { StatusWord } from './store.ts'
