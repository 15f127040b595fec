import { domain } from '../../domain.ts'
import { projectEvents } from '../projects/index.ts'
import * as bulkImportRoutes from './bulk_imports/routes.ts'
import { jobs as forkJobs } from './forks/service.ts'
import * as forkRoutes from './forks/routes.ts'
import { subscribers as projectTemplateSubscribers } from './project_templates/first-commit.ts'
import * as projectTemplateRoutes from './project_templates/routes.ts'
import * as groupExportRoutes from './groups/export/routes.ts'
import * as groupImportRoutes from './groups/import/routes.ts'
import { removeOrphanedArchives } from './imports/files.ts'
import * as importRoutes from './imports/routes.ts'
import { runningImports } from './imports/runs.ts'
import { crons, jobs, removeOrphanedGroupFiles, reconcileProjectExports } from './jobs.ts'
import { projectAbilities } from './policy.ts'
import * as exportRoutes from './projects/export/routes.ts'
import * as exportWebRoutes from './projects/export/web-routes.ts'
import * as archiveImportRoutes from './projects/import/routes.ts'
import * as relationExportRoutes from './relation_exports/routes.ts'
import { subscribers } from './subscribers.ts'

export { ArchiveProblem, unpackArchive } from './archive/unpack.ts'
export { writeArchive } from './archive/write.ts'
export { cloneIntoProject, type Origin } from './imports/clone.ts'
export { archiveNames, archivePath } from './imports/files.ts'
export { cleaned, ImportFailure, isForbidden, reasonOf } from './imports/status.ts'
export { currentTime, cancelableImport, storeProgress } from './imports/running.ts'
export {
  beginRun,
  cancelProjectImport,
  credentialsOf,
  failRun,
  finishRun,
  runOf,
  startRun,
} from './imports/runs.ts'
export {
  addStats,
  failuresOf,
  mark,
  markedId,
  recordFailures,
  update as updateRun,
  type Run,
} from './imports/store.ts'
export {
  firstSentence,
  NOT_ALLOWED,
  targetFor,
  type ImportTarget,
  type RequestedTarget,
} from './imports/target.ts'

export const importExportDomain = domain({
  name: 'import_export',
  routes: [
    importRoutes,
    exportRoutes,
    exportWebRoutes,
    archiveImportRoutes,
    groupExportRoutes,
    groupImportRoutes,
    relationExportRoutes,
    bulkImportRoutes,
    forkRoutes,
    projectTemplateRoutes,
  ],
  subscribers: [...subscribers, ...projectTemplateSubscribers],
  crons,
  jobs: [...jobs, ...forkJobs],
  visibleTo: [projectEvents(['export_id'], projectAbilities.export_project)],
  ports: { runningImports },
  recover: {
    rest: async (ctx) => {
      await removeOrphanedArchives(ctx)
      await removeOrphanedGroupFiles(ctx)
      await reconcileProjectExports(ctx)
    },
  },
  reloads: {
    export: ['export', 'export_progress'],
    import: ['import', 'import_progress', 'import_failures', 'relation-imports', '-/imports', 'bulk_imports'],
  },
})
