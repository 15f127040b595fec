import { domain } from '../../domain.ts'
import { projectEvents } from '../projects/index.ts'
import { jobs as forkJobs } from './forks/service.ts'
import { subscribers as projectTemplateSubscribers } from './project_templates/first-commit.ts'
import { removeOrphanedArchives } from './imports/files.ts'
import { runningImports } from './imports/runs.ts'
import { crons, jobs, removeOrphanedGroupFiles, reconcileProjectExports } from './jobs.ts'
import { projectAbilities } from './policy.ts'
import * as exportWebRoutes from './projects/export/web-routes.ts'
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
  endpoints: () =>
    Promise.all([
      import('./imports/routes.ts'),
      import('./projects/export/routes.ts'),
      import('./projects/import/routes.ts'),
      import('./groups/export/routes.ts'),
      import('./groups/import/routes.ts'),
      import('./relation_exports/routes.ts'),
      import('./bulk_imports/routes.ts'),
      import('./forks/routes.ts'),
      import('./project_templates/routes.ts'),
    ]),
  webRoutes: [exportWebRoutes],
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
