import type { Ctx } from '../../../ctx.ts'
import { on, type Subscription } from '../../../events/publish.ts'
import { ProjectDeletionMarked } from '../../projects/events.ts'
import { UserStateChanged } from '../../users/events.ts'
import { PipelineDeleted } from '../events.ts'
import { dropJobsOf } from './run.ts'
import { sweepResources } from './sweep.ts'

const BLOCKED: ReadonlySet<string> = new Set(['blocked', 'banned', 'ldap_blocked'])

function endJobsOfBlocked(
  ctx: Ctx,
  { user_id, to }: { readonly user_id: number; readonly to: string },
): void {
  if (BLOCKED.has(to)) dropJobsOf(ctx, { user_id }, 'user_blocked')
}

export const subscribers: Subscription[] = [
  on(PipelineDeleted, 'ci.free_resources_of_deleted', (ctx) => sweepResources(ctx)),
  on(UserStateChanged, 'ci.end_jobs_of_blocked_user', endJobsOfBlocked),
  on(ProjectDeletionMarked, 'ci.end_jobs_of_marked_project', (ctx, { project_id }) =>
    dropJobsOf(ctx, { project_id }, 'project_deleted'),
  ),
]
