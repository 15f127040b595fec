export { sweepExports } from './files.ts'
export { stopExports } from './running.ts'
