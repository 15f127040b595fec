import type { Ctx } from '../../../ctx.ts'
import { on, type Subscription } from '../../../events/publish.ts'
import { ProjectDeleted, ProjectImportScheduled } from '../../projects/events.ts'
import { projectById } from '../../projects/index.ts'
import { beginRun } from '../runs/begin.ts'
import { removeArchives } from '../runs/files.ts'
import { endLife } from '../runs/running.ts'
import { importRepository } from './service.ts'

/** At most two at a time: a slow one must not keep all other background work waiting. */
const LANES = 2

function beginClone(ctx: Ctx, { project_id }: { project_id: number }): void {
  const project = projectById(ctx.db, project_id)!
  beginRun(ctx, project, { import_type: 'git', import_source: project.import_url })
}

/** Whoever works on its import has to stop. */
async function leaveDeleted(ctx: Ctx, { project_id }: { project_id: number }): Promise<void> {
  endLife(ctx, project_id, 'canceled')
  await removeArchives(ctx, project_id)
}

export const subscribers: Subscription[] = [
  on(ProjectImportScheduled, 'imports.begin', beginClone, { inside: true }),
  on(ProjectImportScheduled, 'imports.clone', (ctx, event) => importRepository(ctx, event.project_id), {
    key: (event) => `imports:${event.project_id % LANES}`,
  }),
  on(ProjectDeleted, 'imports.leave_deleted', leaveDeleted),
]
