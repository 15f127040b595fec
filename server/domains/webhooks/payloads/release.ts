import type { Ctx } from '../../../ctx.ts'
import { type Project, projectById } from '../../projects/index.ts'
import {
  linksOf,
  releaseById,
  type ReleaseLinkRow,
  type ReleaseRow,
  sourcesOf,
} from '../../releases/index.ts'
import type { HookEvent } from '../recording/hook-event.ts'
import { commitBlock, hookTime, projectBlock, projectUrl, withUploads } from './blocks/index.ts'

/** What an event says of a release; of one that is gone the event says it. */
type Said = Pick<
  ReleaseRow,
  'id' | 'project_id' | 'tag' | 'name' | 'description' | 'sha' | 'created_at' | 'released_at'
> & { readonly links: readonly Pick<ReleaseLinkRow, 'id' | 'name' | 'url' | 'link_type'>[] }

/** The event of a release that is there (spec administration 3.9); null where it is gone. */
export async function releaseEvent(
  ctx: Ctx,
  id: number,
  action: 'create' | 'update',
): Promise<HookEvent | null> {
  const row = releaseById(ctx.db, id)
  if (!row) return null
  return releaseEventOf(ctx, { ...row, links: linksOf(ctx.db, [id]).get(id) ?? [] }, action)
}

/** The event of a release as it was; null where its project is gone. */
export async function releaseEventOf(
  ctx: Ctx,
  release: Said,
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

function assetsOf(ctx: Ctx, project: Project, { tag, links }: Said) {
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
