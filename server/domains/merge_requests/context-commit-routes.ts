import { endpoint } from '../../http/endpoint.ts'
import { list, text } from '../../http/params.ts'
import { created, noContent, page } from '../../http/returns.ts'
import { project } from '../projects/index.ts'
import { Commit } from '../repository/commits/entity.ts'
import { CommitList } from './entity.ts'
import { iidParam } from './params.ts'
import { abilities } from './policy.ts'
import { addContextCommits, contextCommits, removeContextCommits } from './service-context-commits.ts'
import { checkUpdate, findMergeRequest } from './service.ts'

const commits = { commits: list(text({ max: 1100 })).describe('The SHAs of the commits, at most 20') }
const INVALID = 'A commit does not exist, or there are more than 20'

export const listContextCommits = endpoint(
  'GET /projects/:id/merge_requests/:merge_request_iid/context_commits',
  {
    summary: 'List the context commits of a merge request',
    scope: project,
    can: abilities.read_merge_request,
    params: iidParam,
    returns: page(Commit),
    run: async ({ project: owner, params, paging, ...ctx }) => {
      const request = findMergeRequest(ctx, owner, params.merge_request_iid)
      const all = await contextCommits(ctx, owner, request)
      return { rows: all.slice(paging.offset, paging.offset + paging.limit), total: all.length }
    },
  },
)

export const postContextCommits = endpoint(
  'POST /projects/:id/merge_requests/:merge_request_iid/context_commits',
  {
    summary: 'Create context commits of a merge request',
    scope: project,
    can: abilities.change_merge_request,
    params: { ...iidParam, ...commits },
    fails: { 400: INVALID },
    returns: created(CommitList),
    run: ({ project: owner, params, ...ctx }) => {
      const request = findMergeRequest(ctx, owner, params.merge_request_iid)
      checkUpdate(ctx, owner, request)
      return addContextCommits(ctx, owner, request, params.commits)
    },
  },
)

export const deleteContextCommits = endpoint(
  'DELETE /projects/:id/merge_requests/:merge_request_iid/context_commits',
  {
    summary: 'Delete context commits from a merge request',
    scope: project,
    can: abilities.change_merge_request,
    params: { ...iidParam, ...commits },
    fails: { 400: INVALID },
    returns: noContent,
    run: ({ project: owner, params, ...ctx }) => {
      const request = findMergeRequest(ctx, owner, params.merge_request_iid)
      checkUpdate(ctx, owner, request)
      removeContextCommits(ctx, request, params.commits)
    },
  },
)
