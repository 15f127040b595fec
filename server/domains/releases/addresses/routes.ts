import { endpoint, type Exchange } from '../../../http/endpoint.ts'
import { choice, text } from '../../../http/params.ts'
import { raw, type RawAnswer } from '../../../http/returns.ts'
import { notFound } from '../../../lib/fail.ts'
import { project, type Project } from '../../projects/index.ts'
import { byFilepath } from '../links/store.ts'
import { tag_name } from '../params.ts'
import { abilities } from '../policy.ts'
import { findRelease, latestRelease } from '../service-read.ts'
import { hrefOf, withoutOrder } from './paths.ts'

const order_by = choice('released_at')
  .optional()
  .describe('The field that decides which release is the latest')

const redirection = { ...raw, status: 302 }

function redirectTo(location: string): RawAnswer {
  return { type: 'text/plain; charset=utf-8', body: '', headers: { Location: location } }
}

/** Redirects to the release with the tag, or to a path below it: the rest of the path after `latest`. */
function redirectToRelease(owner: Project, tag: string, { target }: Exchange): RawAnswer {
  const [path = '', query = ''] = target.split('?', 2)
  const suffix = /\/releases\/permalink\/latest(\/.*)?$/s.exec(path)?.[1] ?? ''
  const releasePath = `/api/v4/projects/${owner.id}/releases/${encodeURIComponent(tag)}`
  return redirectTo(releasePath + suffix + withoutOrder(query))
}

export const getLatest = endpoint('GET /projects/:id/releases/permalink/latest', {
  summary: 'Redirect to the latest release',
  scope: project,
  can: abilities.read_release_of_tag,
  jobToken: true,
  params: { order_by },
  returns: redirection,
  run: ({ project: owner, http, ...ctx }) => redirectToRelease(owner, latestRelease(ctx, owner).tag, http),
})

export const getBelowLatest = endpoint('GET /projects/:id/releases/permalink/latest/:suffix_path', {
  summary: 'Redirect to a path of the latest release',
  scope: project,
  can: abilities.read_release_of_tag,
  jobToken: true,
  slashParams: ['suffix_path'],
  params: { suffix_path: text({ max: 4096 }).describe('The rest of the path'), order_by },
  returns: redirection,
  run: ({ project: owner, http, ...ctx }) => redirectToRelease(owner, latestRelease(ctx, owner).tag, http),
})

export const getDownload = endpoint('GET /projects/:id/releases/:tag_name/downloads/:direct_asset_path', {
  summary: 'Redirect to a release link by its path',
  scope: project,
  can: abilities.read_release_of_tag,
  jobToken: true,
  slashParams: ['direct_asset_path'],
  params: { tag_name, direct_asset_path: text({ max: 4096 }).describe('The path of the link') },
  returns: redirection,
  run: ({ project: owner, params, ...ctx }) => {
    const release = findRelease(ctx, owner, params.tag_name)
    const link = byFilepath(ctx.db, release.id, `/${params.direct_asset_path}`)
    if (!link) throw notFound()
    return redirectTo(hrefOf(link.url))
  },
})
