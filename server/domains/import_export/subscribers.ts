import type { Ctx } from '../../ctx.ts'
import { on, type Subscription } from '../../events/publish.ts'
import { enqueue } from '../../jobs/job.ts'
import { ARCHIVE_SOURCE } from '../../lib/aliases.ts'
import { ProjectDeleted, ProjectImportScheduled, ProjectTemplateScheduled } from '../projects/events.ts'
import { projectById } from '../projects/index.ts'
import { ProjectImportRetried } from './events.ts'
import { importRepository } from './imports/clone.ts'
import { removeArchives } from './imports/files.ts'
import { dropReport } from './imports/running.ts'
import { beginRun } from './imports/runs.ts'
import { reconcileProjectExports } from './jobs.ts'
import { fetchArchive } from './projects/import/jobs.ts'
import { copyRepository } from './forks/service.ts'

/** Maximum number of simultaneous clones, so that slow clones do not block all other jobs. */
const MAX_CONCURRENT = 2

function beginClone(ctx: Ctx, { project_id }: { project_id: number }): void {
  const project = projectById(ctx.db, project_id)!
  beginRun(ctx, project, { import_type: 'git', import_source: project.import_url })
}

/** Removes the files of the import of a deleted project. */
async function cleanUpDeleted(ctx: Ctx, { project_id }: { project_id: number }): Promise<void> {
  dropReport(ctx, project_id)
  await removeArchives(ctx, project_id)
}

export const subscribers: readonly Subscription[] = [
  on(ProjectImportScheduled, 'imports.begin', beginClone, { inside: true }),
  on(ProjectImportScheduled, 'imports.clone', (ctx, event) => importRepository(ctx, event.project_id), {
    key: (event) => `imports:${event.project_id % MAX_CONCURRENT}`,
  }),
  on(ProjectDeleted, 'imports.leave_deleted', cleanUpDeleted),
  on(ProjectDeleted, 'transfer.remove_exports', (ctx) => reconcileProjectExports(ctx)),
  on(
    ProjectImportRetried,
    'transfer.fetch_again',
    (ctx, { project_id }) => enqueue(ctx, fetchArchive, { project_id }),
    { only: ({ import_type }) => import_type === ARCHIVE_SOURCE },
  ),

  // These jobs have only two different keys, so at most two copies run at the same time.
  on(
    ProjectTemplateScheduled,
    'forks.copy_template',
    (ctx, event) => copyRepository(ctx, event.project_id, event.template_project_id),
    { key: (event) => `forks:${event.project_id % 2}` },
  ),
]
