import type { Ctx } from '../../../ctx.ts'
import { sshAddress } from '../../../lib/ssh/address.ts'
import { findGroup } from '../../groups/index.ts'
import { featureLevel, type Project, projectById } from '../../projects/index.ts'
import {
  firstWikiPage,
  ownerPath,
  wikiAddress,
  wikiOfGroup,
  wikiOfProject,
  type WikiOwner,
  wikiText,
} from '../../wikis/index.ts'
import type { HookEvent } from '../recording/hook-event.ts'
import { projectBlock, userBlockOf } from './blocks.ts'

/** The maximum length of a page in characters. The content of a longer page is left out of the event. */
const MAX_CONTENT = 1024 * 1024

/** A change of a page, from its event. */
export interface PageEvent {
  readonly project_id?: number | undefined
  readonly group_id?: number | undefined
  readonly actor_id: number | null
  readonly action: 'created' | 'updated' | 'deleted'
  readonly slug: string
  readonly title: string
  readonly format: string
  readonly message: string
  readonly commit: string
  readonly previous_commit: string | null
}

const ACTIONS = { created: 'create', updated: 'update', deleted: 'delete' } as const

/** Makes the event of a page of a wiki (spec administration 3.9). Null if its owner is deleted. */
export async function wikiPageEvent(ctx: Ctx, event: PageEvent): Promise<HookEvent | null> {
  const { project_id, group_id } = event
  const project = project_id === undefined ? undefined : projectById(ctx.db, project_id)
  const group = group_id === undefined ? undefined : findGroup(ctx, String(group_id))
  if (!project && !group) return null
  const owner: WikiOwner = project ? { project } : { group }
  const payload = {
    object_kind: 'wiki_page',
    user: userBlockOf(ctx, event.actor_id),
    ...(project
      ? { project: projectBlock(ctx, project) }
      : { group: { group_id: group!.id, group_name: group!.name, group_path: group!.path } }),
    wiki: wikiBlock(ctx, owner),
    object_attributes: await attributesOf(ctx, owner, event),
  }
  return { kind: 'wiki_page', ...(project ? { project_id: project.id } : { group_id: group!.id }), payload }
}

function wikiBlock(ctx: Ctx, owner: WikiOwner) {
  const path = `${ownerPath(owner)}.wiki`
  const wiki = owner.project ? wikiOfProject(ctx.db, owner.project.id) : wikiOfGroup(ctx.db, owner.group!.id)
  return {
    web_url: `${ctx.config.url}/${wikiAddress(owner)}/home`,
    git_ssh_url: sshAddress(path, ctx.config),
    git_http_url: `${ctx.config.url}/${path}.git`,
    path_with_namespace: path,
    default_branch: wiki?.default_branch ?? null,
  }
}

async function attributesOf(ctx: Ctx, owner: WikiOwner, event: PageEvent) {
  const url = `${ctx.config.url}/${wikiAddress(owner)}/${event.slug.split('/').map(encodeURIComponent).join('/')}`
  // A deleted page is shown in its last version.
  const version = event.action === 'deleted' ? event.previous_commit : event.commit
  const content = version === null ? null : await wikiText(ctx, owner, { slug: event.slug, version })
  return {
    slug: event.slug,
    title: event.title,
    format: event.format,
    message: event.message,
    version_id: event.commit,
    content: content !== null && content.length > MAX_CONTENT ? null : content,
    url,
    action: ACTIONS[event.action],
    diff_url: `${url}/diff?version_id=${event.commit}`,
  }
}

/** Returns the first page of a project's wiki as a change. Undefined without any. */
export async function wikiPageSample(ctx: Ctx, project: Project): Promise<HookEvent | null | undefined> {
  if (featureLevel(project, 'wiki') === 'disabled') return undefined
  const page = await firstWikiPage(ctx, { project })
  if (!page) return undefined
  const ids = { project_id: project.id, actor_id: ctx.actor.id }
  return wikiPageEvent(ctx, { ...page, ...ids, action: 'created', previous_commit: null })
}
