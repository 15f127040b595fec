export { countTodos } from './count.ts'
export { tellBuildFailed, tellRemovedFromTrain } from './merging.ts'
