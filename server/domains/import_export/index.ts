import { domain } from '../../domain.ts'
import { sweepArchives } from './runs/files.ts'
import { stopImports } from './runs/running.ts'
import { stopGroupTransfers } from './groups/running.ts'
import { sweepGroupTransfers } from './groups/sweep.ts'
import { sweepExports } from './projects/export/files.ts'
import { stopExports } from './projects/export/running.ts'
import { abilities as exportAbilities } from './projects/export/policy.ts'
import { projectEvents } from '../projects/index.ts'
import * as bulkImportRoutes from './bulk_imports/routes.ts'
import * as groupExportRoutes from './groups/export/routes.ts'
import * as groupImportRoutes from './groups/import/routes.ts'
import { crons as groupTransferCrons, jobs as groupTransferJobs } from './groups/jobs.ts'
import { crons as importCrons } from './imports/jobs.ts'
import * as importRoutes from './imports/routes.ts'
import { subscribers as importsSubscribers } from './imports/subscribers.ts'
import * as importWindowRoutes from './imports/window/routes.ts'
import { crons as exportCrons, jobs as exportJobs } from './projects/export/jobs.ts'
import * as exportRoutes from './projects/export/routes.ts'
import { subscribers as exportSubscribers } from './projects/export/subscribers.ts'
import * as exportWebRoutes from './projects/export/web-routes.ts'
import { jobs as archiveImportJobs } from './projects/import/jobs.ts'
import * as archiveImportRoutes from './projects/import/routes.ts'
import { takeRelation } from './projects/import/single/job.ts'
import * as relationImportRoutes from './projects/import/single/routes.ts'
import { subscribers as archiveImportSubscribers } from './projects/import/subscribers.ts'
import * as relationExportRoutes from './relation_exports/routes.ts'
import type { Job } from '../../jobs/job.ts'

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
export {
  firstSentence,
  NOT_ALLOWED,
  targetFor as placeFor,
  type ImportTarget as ImportPlace,
  type WantedTarget as WantedPlace,
} from './imports/target.ts'
export { abilities as importAbilities } from './imports/policy.ts'
export { cleaned, ImportFailure, isForbidden, reasonOf } from './imports/reasons.ts'
export { beginRun, type NewRun } from './runs/begin.ts'
export { credentialsOf, type ImportCredentials } from './runs/credentials.ts'
export { archiveNames, archivePath, importFolder } from './runs/files.ts'
export { ImportInterrupted, currentTime } from './runs/running.ts'
export { tellProgress, type Progress } from './runs/progress.ts'
export { cancelRun, failRun, finishRun, runOf, signalOf, startRun } from './runs/service.ts'
export { update as updateRun, type Run } from './runs/store.ts'
export { addStats, statsOf, type ImportStats } from './imports/stats.ts'
export { statusOf } from './imports/status.ts'
export { ArchiveProblem } from './archive/problem.ts'
export { tarEntries, type TarEntry } from './archive/tar-reader.ts'
export { unpackArchive, type UnpackLimits, type UnpackWatch } from './archive/unpack.ts'
export { writeArchive, type ArchiveEntry, type WriteOptions } from './archive/write.ts'
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

export const importExportDomain = domain({
  name: 'import_export',
  routes: [
    importRoutes,
    importWindowRoutes,
    exportRoutes,
    exportWebRoutes,
    archiveImportRoutes,
    relationImportRoutes,
    groupExportRoutes,
    groupImportRoutes,
    relationExportRoutes,
    bulkImportRoutes,
  ],
  subscribers: [...importsSubscribers, ...exportSubscribers, ...archiveImportSubscribers],
  crons: [...importCrons, ...exportCrons, ...groupTransferCrons],
  jobs: [...exportJobs, ...archiveImportJobs, takeRelation as Job, ...groupTransferJobs],
  visibleTo: [projectEvents(['export_id'], exportAbilities.export_project)],
  recover: {
    rest: async (ctx) => {
      await sweepArchives(ctx)
      await sweepGroupTransfers(ctx)
      await sweepExports(ctx)
    },
  },
  stop: async (ctx) => {
    await stopExports(ctx)
    await stopGroupTransfers(ctx)
    await stopImports(ctx)
  },
})
