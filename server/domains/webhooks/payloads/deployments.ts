import type { Ctx } from '../../../ctx.ts'
import { deploymentOf, environmentOf, jobById } from '../../ci/index.ts'
import { featureFlagById } from '../../feature_flags/index.ts'
import { type Project, projectById } from '../../projects/index.ts'
import {
  linksOf,
  releaseById,
  type ReleaseLinkRow,
  type ReleaseRow,
  sourcesOf,
} from '../../releases/index.ts'
import type { HookEvent } from '../recording/hook-event.ts'
import {
  commitBlock,
  hookTime,
  projectBlock,
  projectUrl,
  userBlockOf,
  userUrl,
  withUploads,
} from './blocks.ts'

/** The statuses of a deployment that have an event: its start and its end (spec administration 3.9). */
export const DEPLOYMENT_STATUSES: ReadonlySet<string> = new Set(['running', 'success', 'failed', 'canceled'])

/** A deployment, and its status in the event; by default its current status. */
interface DeploymentEvent {
  readonly project_id: number
  readonly deployment_id: number
  readonly status?: string
}

/** Makes the event of a deployment (spec administration 3.9). Null if it or its project is deleted. */
export async function deploymentEvent(ctx: Ctx, event: DeploymentEvent): Promise<HookEvent | null> {
  const project = projectById(ctx.db, event.project_id)
  const row = project && deploymentOf(ctx, project, event.deployment_id)
  const environment = row && environmentOf(ctx, project, row.environment_id)
  if (!environment) return null
  const commit = await commitBlock(ctx, project, row.sha)
  const page = projectUrl(ctx, project)
  const job = row.job_id === null ? undefined : jobById(ctx.db, row.job_id)
  // For a manual job, the deploying user is the one who started it.
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

/** A feature flag that was turned on or off, and the user who did so. */
interface FlagToggle {
  readonly feature_flag_id: number
  readonly actor_id: number | null
  readonly active?: boolean
}

/** Makes the event of a feature flag that was turned on or off (spec administration 3.9). Null if it is deleted. */
export function featureFlagEvent(ctx: Ctx, toggle: FlagToggle): HookEvent | null {
  const flag = featureFlagById(ctx.db, toggle.feature_flag_id)
  const project = flag && projectById(ctx.db, flag.project_id)
  if (!project) return null
  const user = userBlockOf(ctx, toggle.actor_id)
  const payload = {
    object_kind: 'feature_flag',
    project: projectBlock(ctx, project),
    user,
    user_url: user && userUrl(ctx, user),
    object_attributes: {
      id: flag.id,
      name: flag.name,
      description: flag.description,
      active: toggle.active ?? flag.active,
    },
  }
  return { kind: 'feature_flag', project_id: project.id, payload }
}

/** The columns of a release in its event, also if the release is deleted. */
type ReleaseState = Pick<
  ReleaseRow,
  'id' | 'project_id' | 'tag' | 'name' | 'description' | 'sha' | 'created_at' | 'released_at'
> & { readonly links: readonly Pick<ReleaseLinkRow, 'id' | 'name' | 'url' | 'link_type'>[] }

/** Makes the event of an existing release (spec administration 3.9). Null if it is deleted. */
export async function releaseEvent(
  ctx: Ctx,
  id: number,
  action: 'create' | 'update',
): Promise<HookEvent | null> {
  const row = releaseById(ctx.db, id)
  if (!row) return null
  return releaseEventOf(ctx, { ...row, links: linksOf(ctx.db, [id]).get(id) ?? [] }, action)
}

/** Makes the event of a release, existing or deleted. Null if its project is deleted. */
export async function releaseEventOf(
  ctx: Ctx,
  release: ReleaseState,
  action: 'create' | 'update' | 'delete',
): Promise<HookEvent | null> {
  const project = projectById(ctx.db, release.project_id)
  if (!project) return null
  const payload = {
    id: release.id,
    created_at: hookTime(release.created_at),
    description: withUploads(ctx, project, release.description),
    name: release.name,
    released_at: hookTime(release.released_at),
    tag: release.tag,
    object_kind: 'release',
    project: projectBlock(ctx, project),
    url: `${projectUrl(ctx, project)}/-/releases/${encodeURIComponent(release.tag)}`,
    action,
    assets: assetsOf(ctx, project, release),
    commit: release.sha === null ? null : await commitBlock(ctx, project, release.sha),
  }
  return { kind: 'release', project_id: project.id, ref: release.tag, payload }
}

function assetsOf(ctx: Ctx, project: Project, { tag, links }: ReleaseState) {
  const sources = sourcesOf(ctx, project, tag)
  const page = projectUrl(ctx, project)
  return {
    count: links.length + sources.length,
    links: links.map(({ id, link_type, name, url }) => ({
      id,
      link_type,
      name,
      url,
      external: !url.startsWith(`${page}/`),
    })),
    sources,
  }
}
