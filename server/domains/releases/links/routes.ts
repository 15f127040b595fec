import type { Ctx } from '../../../ctx.ts'
import { atLeastOne, endpoint } from '../../../http/endpoint.ts'
import { int, text } from '../../../http/params.ts'
import { created, ok, page } from '../../../http/returns.ts'
import { project, type Project } from '../../projects/index.ts'
import { linkOptions, tag_name } from '../params.ts'
import { abilities } from '../policy.ts'
import { findRelease } from '../service-read.ts'
import type { ReleaseLinkRow } from '../types.ts'
import { findForChange } from '../service.ts'
import { ReleaseLink, type LinkView } from '../entity.ts'
import { addLink, changeLink, getLink, removeLink } from './service.ts'
import { list } from './store.ts'

const link_id = int({ min: 1 }).describe('The ID of the link')
const name = text({ max: 4096 }).describe('The name, unique in the release')
const url = text({ max: 8192 }).describe('The URL, unique in the release')
const REFUSED = { 400: 'A value is invalid, or another link of the release has it' }

function linkView(owner: Project, tag: string, link: ReleaseLinkRow): LinkView {
  return { id: link.id, link, project: owner, tag }
}

interface LinkContext extends Ctx {
  readonly project: Project
  readonly params: { readonly tag_name: string; readonly link_id: number }
}

/** Finds the link that the path names, in a release that the actor may change. */
function findLinkForChange({ project: owner, params, ...ctx }: LinkContext) {
  const release = findForChange(ctx, owner, params.tag_name)
  return { release, link: getLink(ctx, release, params.link_id) }
}

export const getLinks = endpoint('GET /projects/:id/releases/:tag_name/assets/links', {
  summary: 'List links of a release',
  scope: project,
  can: abilities.read_release_of_tag,
  jobToken: true,
  params: { tag_name },
  returns: page(ReleaseLink),
  run: ({ project: owner, params, paging, ...ctx }) => {
    const release = findRelease(ctx, owner, params.tag_name)
    const { rows, total } = list(ctx.db, release.id, paging)
    return { rows: rows.map((link) => linkView(owner, release.tag, link)), total }
  },
})

export const getOneLink = endpoint('GET /projects/:id/releases/:tag_name/assets/links/:link_id', {
  summary: 'Get a single release link',
  scope: project,
  can: abilities.read_release_of_tag,
  jobToken: true,
  params: { tag_name, link_id },
  returns: ok(ReleaseLink),
  run: ({ project: owner, params, ...ctx }) => {
    const release = findRelease(ctx, owner, params.tag_name)
    return linkView(owner, release.tag, getLink(ctx, release, params.link_id))
  },
})

export const postLink = endpoint('POST /projects/:id/releases/:tag_name/assets/links', {
  summary: 'Create a release link',
  scope: project,
  can: abilities.update_release,
  jobToken: true,
  params: { tag_name, name, url, ...linkOptions },
  fails: REFUSED,
  returns: created(ReleaseLink),
  run: ({ project: owner, params, ...ctx }) => {
    const release = findForChange(ctx, owner, params.tag_name)
    return linkView(owner, release.tag, addLink(ctx, release, params))
  },
})

export const putLink = endpoint('PUT /projects/:id/releases/:tag_name/assets/links/:link_id', {
  summary: 'Update a release link',
  scope: project,
  can: abilities.update_release,
  jobToken: true,
  params: { tag_name, link_id, name: name.optional(), url: url.optional(), ...linkOptions },
  parameterRules: [atLeastOne('name', 'url')],
  fails: REFUSED,
  returns: ok(ReleaseLink),
  run: (ctx) => {
    const { release, link } = findLinkForChange(ctx)
    return linkView(ctx.project, release.tag, changeLink(ctx, release, link, ctx.params))
  },
})

export const deleteLink = endpoint('DELETE /projects/:id/releases/:tag_name/assets/links/:link_id', {
  summary: 'Delete a release link',
  scope: project,
  can: abilities.destroy_release,
  jobToken: true,
  params: { tag_name, link_id },
  returns: ok(ReleaseLink),
  run: (ctx) => {
    const { release, link } = findLinkForChange(ctx)
    ctx.http.unmodifiedSince(link.updated_at)
    removeLink(ctx, release, link)
    return linkView(ctx.project, release.tag, link)
  },
})
