export { sweepExports } from './files.ts'
export { stopExports } from './running.ts'
export { snippetBundleName } from './bundles.ts'
