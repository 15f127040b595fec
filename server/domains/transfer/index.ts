export { ArchiveProblem } from './archive/problem.ts'
export { tarEntries, type TarEntry } from './archive/tar-reader.ts'
export { unpackArchive, type UnpackLimits, type UnpackWatch } from './archive/unpack.ts'
export { writeArchive, type ArchiveEntry, type WriteOptions } from './archive/write.ts'
export { sweepExports } from './exports/files.ts'
export { abilities as exportAbilities } from './exports/policy.ts'
export { stopExports } from './exports/running.ts'
export * from './relations/checked.ts'
export { RELATIONS } from './relations/index.ts'
export * from './relations/relation.ts'
export { writeGroupArchive } from './relations/groups/archive/run-thread.ts'
export {
  attributesOf,
  columnsOf,
  groupOf,
  narrowestOf,
  type GroupColumns,
  type ImportedGroup,
} from './relations/groups/attributes.ts'
export { importArchive } from './imports/engine/import-archive.ts'
export { importTree, type Taken, type TreeToTake } from './imports/engine/import-tree.ts'
export { writeRelationFiles } from './relation_files/run-thread.ts'
