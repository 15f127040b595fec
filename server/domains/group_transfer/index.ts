export { stopGroupTransfers } from './running.ts'
export { sweepGroupTransfers } from './sweep.ts'
