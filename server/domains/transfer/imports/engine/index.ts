export { importTree, type Taken, type TreeToTake } from './import-tree.ts'
