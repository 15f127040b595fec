import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { on, type Subscription } from '../../events/publish.ts'
import { onBehalfOf } from '../planning/index.ts'
import { ProjectDeletionMarked, ProjectDeleted } from '../projects/events.ts'
import { projectById } from '../projects/index.ts'
import { RefsUpdated } from '../repository/events.ts'
import { UserStateChanged } from '../users/events.ts'
import { removeFolder, removeDeletedFiles } from './artifacts/disk.ts'
import { unlockRef } from './artifacts/expiry.ts'
import { followJob } from './environments/follow.ts'
import { stopEnvironmentsOf } from './environments/stop.ts'
import { JobChanged, PipelineChanged, PipelineDeleted } from './events.ts'
import { requestPipelines } from './pipelines/creation/jobs.ts'
import { FINISHED_STATUSES, removePipelineRef } from './pipelines/refs.ts'
import { dropJobsOf } from './processing/run.ts'
import { isFinished } from './processing/status.ts'
import { sweepResources } from './processing/sweep.ts'
import { archiveTrace } from './traces/archive.ts'
import { removeFolder as removeSecureFiles } from './secure_files/describe.ts'

const BRANCHES = 'refs/heads/'

interface UpdatedRefs {
  readonly project_id: number
  readonly actor_id: number | null
  readonly updates: readonly { readonly ref: string; readonly new: string | null }[]
}

function stopEnvironmentsOfRemoved(ctx: Ctx, { project_id, actor_id, updates }: UpdatedRefs): void {
  const removed = updates.filter((update) => update.new === null && update.ref.startsWith(BRANCHES))
  if (removed.length === 0) return
  const project = projectById(ctx.db, project_id)
  const actorCtx = onBehalfOf(ctx, actor_id)
  if (!project || !actorCtx) return
  for (const { ref } of removed) stopEnvironmentsOf(actorCtx, project, { ref: ref.slice(BRANCHES.length) })
}

/** Selects pushes that remove a ref. Most pushes remove none, and then need no job. */
function hasRemoved({ updates }: { readonly updates: readonly { readonly new: string | null }[] }): boolean {
  return updates.some((update) => update.new === null)
}

const REF = /^refs\/(heads|tags)\/(.+)$/s

/** Lets the artifacts of removed refs expire. */
function unlockRemovedRefs(ctx: Ctx, { project_id, updates }: UpdatedRefs): void {
  for (const update of updates) {
    const [, kind, ref] = (update.new === null && REF.exec(update.ref)) || []
    if (ref !== undefined) unlockRef(ctx.db, { project_id, ref, tag: kind === 'tags' })
  }
}

const BLOCKED: ReadonlySet<string> = new Set(['blocked', 'banned', 'ldap_blocked'])

function endJobsOfBlocked(
  ctx: Ctx,
  { user_id, to }: { readonly user_id: number; readonly to: string },
): void {
  if (BLOCKED.has(to)) dropJobsOf(ctx, { user_id }, 'user_blocked')
}

export const subscribers: Subscription[] = [
  on(JobChanged, 'ci.archive_ended_trace', (ctx, { job_id }) => archiveTrace(ctx, job_id), {
    // A job that no runner took has no log.
    only: ({ kind, status, runner_id }) => kind === 'job' && isFinished(status) && runner_id !== null,
    key: ({ job_id }) => `ci.archive_trace:${job_id}`,
  }),
  on(PipelineDeleted, 'ci.free_resources_of_deleted', (ctx) => sweepResources(ctx)),
  on(UserStateChanged, 'ci.end_jobs_of_blocked_user', endJobsOfBlocked),
  on(ProjectDeletionMarked, 'ci.end_jobs_of_marked_project', (ctx, { project_id }) =>
    dropJobsOf(ctx, { project_id }, 'project_deleted'),
  ),
  on(RefsUpdated, 'ci.pipelines_of_push', (ctx, event) => tx(ctx.db, () => requestPipelines(ctx, event)), {
    // Commits from a pull mirror start pipelines only if the project allows it.
    only: (event, ctx) =>
      event.source !== 'mirror' || projectById(ctx.db, event.project_id)?.mirror_trigger_builds === true,
  }),
  on(PipelineChanged, 'ci.remove_ref', removePipelineRef, {
    only: ({ status }) => FINISHED_STATUSES.has(status),
  }),
  on(PipelineDeleted, 'ci.remove_ref_of_deleted', removePipelineRef),
  on(ProjectDeleted, 'ci.remove_artifacts', (ctx, { project_id }) => removeFolder(ctx, project_id)),
  on(PipelineDeleted, 'ci.remove_artifacts_of_pipeline', removeDeletedFiles),
  on(RefsUpdated, 'ci.let_artifacts_go', unlockRemovedRefs, { only: hasRemoved }),
  on(JobChanged, 'ci.follow_deployments', (ctx, { job_id, status }) => followJob(ctx, job_id, status), {
    only: ({ has_environment }) => has_environment,
  }),
  on(RefsUpdated, 'ci.stop_environments_of_branches', stopEnvironmentsOfRemoved, { only: hasRemoved }),
  on(ProjectDeleted, 'ci.remove_secure_files', (ctx, { project_id }) => removeSecureFiles(ctx, project_id)),
]
