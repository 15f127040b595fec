export { stopGroupTransfers } from './groups/running.ts'
export { sweepGroupTransfers } from './groups/sweep.ts'
export { fillProject, type Origin } from './imports/copy.ts'
export { ImportStatus, ImportSummary, type ImportView } from './imports/entity.ts'
export {
  clearFailures,
  countFailures,
  failuresOf,
  recordFailures,
  type FailedRecord,
  type FailureOwner,
} from './imports/failures.ts'
export { mark, marked } from './imports/marks.ts'
export { firstSentence, NOT_ALLOWED, placeFor, type ImportPlace, type WantedPlace } from './imports/place.ts'
export { abilities as importAbilities } from './imports/policy.ts'
export { cleaned, ImportFailure, isForbidden, reasonOf } from './imports/reasons.ts'
export { beginRun, type NewRun } from './runs/begin.ts'
export { credentialsOf, type ImportCredentials } from './runs/credentials.ts'
export { archiveNames, archivePath, importFolder, sweepArchives } from './runs/files.ts'
export { ImportInterrupted, stopImports, currentTime } from './runs/lives.ts'
export { tellProgress, type Progress } from './runs/progress.ts'
export { cancelRun, failRun, finishRun, runOf, signalOf, startRun } from './runs/service.ts'
export { update as updateRun, type Run } from './runs/store.ts'
export { addStats, statsOf, type ImportStats } from './imports/stats.ts'
export { statusOf } from './imports/status.ts'
export { ArchiveProblem } from './archive/problem.ts'
export { tarEntries, type TarEntry } from './archive/tar-reader.ts'
export { unpackArchive, type UnpackLimits, type UnpackWatch } from './archive/unpack.ts'
export { writeArchive, type ArchiveEntry, type WriteOptions } from './archive/write.ts'
export { sweepExports } from './projects/export/files.ts'
export { abilities as exportAbilities } from './projects/export/policy.ts'
export { stopExports } from './projects/export/running.ts'
export {
  MAX_TEXT,
  textOf,
  requiredText,
  wholeOf,
  iidOf,
  flagOf,
  timeOf,
  dayOf,
  oneOf,
  shaOf,
  childOf,
  childrenOf,
} from './relations/checked.ts'
export { RELATIONS } from './relations/index.ts'
export {
  type Json,
  type Fields,
  type Owner,
  type CodeReader,
  type CommitOfDiff,
  type DiffOfPair,
  type Source,
  type Person,
  type Row,
  type Target,
  UnusableRecord,
  type Relation,
  relation,
} from './relations/relation.ts'
export { writeGroupArchive } from './relations/groups/archive/run-thread.ts'
export {
  attributesOf,
  columnsOf,
  groupOf,
  narrowestOf,
  type GroupColumns,
  type ImportedGroup,
} from './relations/groups/attributes.ts'
export { importArchive } from './projects/import/engine/import-archive.ts'
export { importTree, type Taken, type TreeToTake } from './projects/import/engine/import-tree.ts'
export { writeRelationFiles } from './relation_files/run-thread.ts'
