import type { Ctx } from '../../ctx.ts'
import { on, publish, type Subscription } from '../../events/publish.ts'
import { cancelRun } from '../../jobs/runs.ts'
import { ProjectImportEnded, ProjectUpdated } from '../projects/events.ts'
import { projectById } from '../projects/index.ts'
import { RefsUpdated } from '../repository/index.ts'
import { PullMirrorChanged } from './events.ts'
import { requestRefRemoval, requestPull } from './pull/jobs.ts'
import { recordFailure, recordSuccess } from './pull/states.ts'
import { requestUpdate } from './push/jobs.ts'
import { enabledOf } from './push/store.ts'

/** Columns of a project that are settings of its pull mirror. */
const PULL_SETTINGS = [
  'mirror',
  'import_url',
  'mirror_user_id',
  'only_mirror_protected_branches',
  'mirror_overwrites_diverged_branches',
]

function followPullSettings(
  ctx: Ctx,
  event: { project_id: number; actor_id: number | null; changed: string[] },
): void {
  const { project_id, actor_id } = event
  const project = projectById(ctx.db, project_id)
  if (!project) return
  if (project.mirror) {
    const isNew = event.changed.includes('import_url')
    if (isNew) void cancelRun(ctx, `pull:${project_id}`)
    return requestPull(ctx, project_id, { isNew })
  }
  if (!event.changed.includes('mirror')) return
  void cancelRun(ctx, `pull:${project_id}`)
  requestRefRemoval(ctx, project_id)
  publish(ctx, PullMirrorChanged, { project_id, update_status: 'none', actor_id })
}

/** Records the import of a project as the first update of its pull mirror. */
function recordFirstUpdate(
  ctx: Ctx,
  { project_id, status }: { project_id: number; status: 'finished' | 'failed' | 'canceled' },
): void {
  const project = projectById(ctx.db, project_id)
  if (project?.mirror !== true) return
  if (status === 'finished') recordSuccess(ctx, project_id)
  else recordFailure(ctx, project_id, project.import_error ?? 'The repository could not be copied.')
}

export const subscribers: Subscription[] = [
  on(
    RefsUpdated,
    'mirrors.push',
    (ctx, { project_id }) => {
      for (const row of enabledOf(ctx.db, project_id)) requestUpdate(ctx, row)
    },
    { only: ({ project_id, part }, ctx) => part === 1 && enabledOf(ctx.db, project_id).length > 0 },
  ),
  on(ProjectUpdated, 'mirrors.follow_settings', followPullSettings, {
    only: ({ changed }) => changed.some((name) => PULL_SETTINGS.includes(name)),
  }),
  on(ProjectImportEnded, 'mirrors.first_update', recordFirstUpdate, {
    only: ({ project_id }, ctx) => projectById(ctx.db, project_id)?.mirror === true,
  }),
]
