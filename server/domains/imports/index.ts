export { fillProject, type Origin } from './copy.ts'
export { ImportStatus, ImportSummary, type ImportView } from './entity.ts'
export {
  clearFailures,
  countFailures,
  failuresOf,
  recordFailures,
  type FailedRecord,
  type FailureOwner,
} from './failures.ts'
export { mark, marked } from './marks.ts'
export { firstSentence, NOT_ALLOWED, placeFor, type ImportPlace, type WantedPlace } from './place.ts'
export { abilities as importAbilities } from './policy.ts'
export { cleaned, ImportFailure, isForbidden, reasonOf } from './reasons.ts'
export { beginRun, type NewRun } from './runs/begin.ts'
export { credentialsOf, type ImportCredentials } from './runs/credentials.ts'
export { archiveNames, archivePath, importFolder, sweepArchives } from './runs/files.ts'
export { ImportInterrupted, stopImports, timeOf } from './runs/lives.ts'
export { tellProgress, type Progress } from './runs/progress.ts'
export { cancelRun, failRun, finishRun, runOf, signalOf, startRun } from './runs/service.ts'
export { update as updateRun, type Run } from './runs/store.ts'
export { addStats, statsOf, type ImportStats } from './stats.ts'
export { statusOf } from './status.ts'
