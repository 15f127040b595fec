import { endpoint } from '../../../http/endpoint.ts'
import { bool, int } from '../../../http/params.ts'
import { ok, page, raw } from '../../../http/returns.ts'
import { project } from '../../projects/index.ts'
import { Commit, Diff } from '../../repository/commits/entity.ts'
import { iidParam } from '../params.ts'
import { abilities } from '../policy.ts'
import { showMergeRequest } from '../service-view.ts'
import { findMergeRequest } from '../service.ts'
import { DiffVersion, DiffVersionDetail, MergeRequestChanges } from './entity.ts'
import { changesOf, commitPage, diffPage, findVersion, rawDiff, versionPage } from './service.ts'

const common = { scope: project, can: abilities.read_merge_request } as const
const unidiff = bool().default(false).describe('Show diffs in unified format, with the file headers')

export const listMergeRequestCommits = endpoint(
  'GET /projects/:id/merge_requests/:merge_request_iid/commits',
  {
    summary: 'List the commits of a merge request',
    ...common,
    params: iidParam,
    returns: page(Commit),
    run: ({ project: owner, params, paging, ...ctx }) =>
      commitPage(ctx, owner, findMergeRequest(ctx, owner, params.merge_request_iid), paging),
  },
)

export const showChanges = endpoint('GET /projects/:id/merge_requests/:merge_request_iid/changes', {
  summary: 'Get a single merge request with its changes',
  ...common,
  params: {
    ...iidParam,
    access_raw_diffs: bool().default(false).describe('Read diffs from the repository with higher limits'),
    unidiff,
  },
  returns: ok(MergeRequestChanges),
  run: async ({ project: owner, params, ...ctx }) => {
    const request = findMergeRequest(ctx, owner, params.merge_request_iid)
    const diff = await changesOf(ctx, owner, request, { raw: params.access_raw_diffs })
    // `changesOf` may have made the first version.
    const view = await showMergeRequest(ctx, owner, findMergeRequest(ctx, owner, request.iid))
    return { view, files: diff.files, unidiff: params.unidiff, overflow: diff.overflow }
  },
})

export const listMergeRequestDiffs = endpoint('GET /projects/:id/merge_requests/:merge_request_iid/diffs', {
  summary: 'List the diffs of a merge request',
  ...common,
  params: { ...iidParam, unidiff },
  returns: page(Diff),
  run: ({ project: owner, params, paging, ...ctx }) => {
    const request = findMergeRequest(ctx, owner, params.merge_request_iid)
    return diffPage(ctx, owner, request, { unidiff: params.unidiff, range: paging })
  },
})

export const showRawDiffs = endpoint('GET /projects/:id/merge_requests/:merge_request_iid/raw_diffs', {
  summary: 'Get the raw diffs of a merge request',
  ...common,
  params: iidParam,
  returns: raw,
  run: async ({ project: owner, params, http, ...ctx }) => {
    const request = findMergeRequest(ctx, owner, params.merge_request_iid)
    const body = await rawDiff(ctx, owner, request, http.signal)
    return { type: 'text/plain; charset=utf-8', body }
  },
})

export const listVersions = endpoint('GET /projects/:id/merge_requests/:merge_request_iid/versions', {
  summary: 'List the diff versions of a merge request',
  ...common,
  params: iidParam,
  returns: page(DiffVersion),
  run: ({ project: owner, params, paging, ...ctx }) =>
    versionPage(ctx, owner, findMergeRequest(ctx, owner, params.merge_request_iid), paging),
})

export const showVersion = endpoint(
  'GET /projects/:id/merge_requests/:merge_request_iid/versions/:version_id',
  {
    summary: 'Get a single diff version of a merge request',
    ...common,
    params: { ...iidParam, version_id: int({ min: 1 }).describe('The ID of the version'), unidiff },
    returns: ok(DiffVersionDetail),
    run: async ({ project: owner, params, ...ctx }) => {
      const request = findMergeRequest(ctx, owner, params.merge_request_iid)
      const match = await findVersion(ctx, owner, request, params.version_id)
      return { ...match, unidiff: params.unidiff }
    },
  },
)
