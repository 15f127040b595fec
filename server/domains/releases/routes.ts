import { endpoint, exclusive } from '../../http/endpoint.ts'
import { oneOf, as } from '../../http/entity.ts'
import { bool, timestamp } from '../../http/params.ts'
import { created, ok, page, raw } from '../../http/returns.ts'
import { group } from '../groups/index.ts'
import { project } from '../projects/index.ts'
import { Release, ReleaseBasic } from './entity.ts'
import { requestEvidence } from './jobs.ts'
import { fields, html, newFields, tag_name } from './params.ts'
import { abilities, groupAbilities } from './policy.ts'
import { findRelease, listGroupReleases, listReleases, showRelease } from './service-read.ts'
import { createRelease, findForChange, deleteRelease, findForUpdate, updateRelease } from './service.ts'

const REFUSED = { 400: 'A value is invalid, a milestone does not exist, or no value is given' }

export const getReleases = endpoint('GET /projects/:id/releases', {
  summary: 'List project releases',
  scope: project,
  can: abilities.read_release,
  jobToken: true,
  params: {
    ...html,
    updated_after: timestamp().optional().describe('Filter by the last update at or after this time'),
    updated_before: timestamp().optional().describe('Filter by the last update at or before this time'),
  },
  returns: page(Release, { order_by: ['released_at', 'created_at'], sort: 'desc' }),
  run: ({ project: owner, params, paging, ...ctx }) => listReleases(ctx, owner, params, paging),
})

export const getRelease = endpoint('GET /projects/:id/releases/:tag_name', {
  summary: 'Get a release by a tag name',
  scope: project,
  can: abilities.read_release_of_tag,
  jobToken: true,
  params: { tag_name, ...html },
  returns: ok(Release),
  run: ({ project: owner, params, ...ctx }) =>
    showRelease(ctx, findRelease(ctx, owner, params.tag_name), params),
})

export const postRelease = endpoint('POST /projects/:id/releases', {
  summary: 'Create a release',
  scope: project,
  can: abilities.create_release,
  jobToken: true,
  params: { ...newFields, ...fields },
  parameterRules: [exclusive('milestones', 'milestone_ids')],
  fails: { ...REFUSED, 409: 'Release already exists', 422: 'Ref is not specified' },
  returns: created(Release),
  run: async ({ project: owner, params, ...ctx }) =>
    showRelease(ctx, await createRelease(ctx, owner, params)),
})

export const putRelease = endpoint('PUT /projects/:id/releases/:tag_name', {
  summary: 'Update a release',
  scope: project,
  can: abilities.update_release,
  jobToken: true,
  params: { tag_name, ...fields },
  parameterRules: [exclusive('milestones', 'milestone_ids')],
  fails: REFUSED,
  returns: ok(Release),
  run: ({ project: owner, params, ...ctx }) => {
    const { tag_name: tag, ...changes } = params
    return showRelease(ctx, updateRelease(ctx, owner, findForUpdate(ctx, owner, tag), changes))
  },
})

export const removeRelease = endpoint('DELETE /projects/:id/releases/:tag_name', {
  summary: 'Delete a release',
  scope: project,
  can: abilities.destroy_release,
  jobToken: true,
  params: { tag_name },
  returns: ok(Release),
  run: async ({ project: owner, params, http, ...ctx }) => {
    const release = findForUpdate(ctx, owner, params.tag_name)
    http.unmodifiedSince(release.updated_at)
    const view = await showRelease(ctx, release)
    deleteRelease(ctx, release)
    return view
  },
})

export const postEvidence = endpoint('POST /projects/:id/releases/:tag_name/evidence', {
  summary: 'Collect release evidence',
  scope: project,
  can: abilities.create_release,
  jobToken: true,
  params: { tag_name },
  returns: { ...raw, status: 202 },
  run: ({ project: owner, params, ...ctx }) => {
    requestEvidence(ctx, findForChange(ctx, owner, params.tag_name))
    // Clients parse an empty body as JSON if its content type is JSON.
    return { type: 'text/plain; charset=utf-8', body: '' }
  },
})

export const getGroupReleases = endpoint('GET /groups/:id/releases', {
  summary: 'List group releases',
  scope: group,
  can: groupAbilities.read_group_releases,
  jobToken: true,
  params: { simple: bool().optional().describe('Return only names, descriptions and dates') },
  returns: page(oneOf(Release, ReleaseBasic), { order_by: ['released_at'], sort: 'desc' }),
  run: async ({ group: owner, params, paging, ...ctx }) => {
    const { rows, total } = await listGroupReleases(ctx, owner, paging)
    const view = params.simple ? ReleaseBasic : Release
    return { rows: rows.map((row) => ({ ...as(view, row), id: row.id })), total }
  },
})
