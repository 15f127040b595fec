import type { Ctx } from '../../../ctx.ts'
import { deploymentOf, environmentOf, jobById } from '../../ci/index.ts'
import { projectById } from '../../projects/index.ts'
import type { HookEvent } from '../recording/hook-event.ts'
import { commitBlock, hookTime, projectBlock, projectUrl, userBlockOf } from './blocks/index.ts'
import { userUrl } from './links.ts'

/** What of a deployment is told: that it began, and how it ended (spec administration 3.9). */
export const TOLD_DEPLOYMENTS: ReadonlySet<string> = new Set(['running', 'success', 'failed', 'canceled'])

/** A deployment of a project, with a status that it had, or with the one it has. */
interface DeploymentEvent {
  readonly project_id: number
  readonly deployment_id: number
  readonly status?: string
}

/** The event of a deployment (spec administration 3.9); null where it or its project is gone. */
export async function deploymentEvent(ctx: Ctx, event: DeploymentEvent): Promise<HookEvent | null> {
  const project = projectById(ctx.db, event.project_id)
  const row = project && deploymentOf(ctx, project, event.deployment_id)
  const environment = row && environmentOf(ctx, project, row.environment_id)
  if (!environment) return null
  const commit = await commitBlock(ctx, project, row.sha)
  const page = projectUrl(ctx, project)
  const job = row.job_id === null ? undefined : jobById(ctx.db, row.job_id)
  // Of a manual job the one who started it deploys.
  const user = userBlockOf(ctx, job?.user_id ?? row.user_id)
  const status = event.status ?? row.status
  const payload = {
    object_kind: 'deployment',
    status,
    status_changed_at: hookTime(row.status === status ? (row.finished_at ?? row.updated_at) : ctx.now),
    deployment_id: row.id,
    deployable_id: job?.id ?? null,
    deployable_url: job ? `${page}/-/jobs/${job.id}` : null,
    environment: environment.name,
    environment_slug: environment.slug,
    environment_external_url: environment.external_url,
    project: projectBlock(ctx, project),
    short_sha: row.sha.slice(0, 8),
    user,
    user_url: user && userUrl(ctx, user),
    commit_url: `${page}/-/commit/${row.sha}`,
    commit_title: commit?.title ?? null,
    ref: row.ref,
  }
  return { kind: 'deployment', project_id: project.id, ref: row.ref, payload }
}
