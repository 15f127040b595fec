import type { Ctx } from '../../../ctx.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { choice, int, text, list } from '../../../http/params.ts'
import { page, created, noContent } from '../../../http/returns.ts'
import { group } from '../../groups/index.ts'
import {
  findIssue,
  groupMilestoneAbilities,
  issueAbilities,
  issueIidParam,
  milestoneAbilities,
  showIssues,
} from '../../planning/index.ts'
import { Issue } from '../../planning/issues/entity.ts'
import { fullPath, project, projectAbilities, type Project } from '../../projects/index.ts'
import { Commit } from '../../repository/commits/entity.ts'
import { MergeRequestBasic, CommitList } from '../entity.ts'
import { groupScope, listMergeRequests } from '../lists/store.ts'
import { iidParam } from '../params.ts'
import { abilities } from '../policy.ts'
import { showMergeRequests } from '../service-view.ts'
import { findMergeRequest, checkUpdate } from '../service.ts'
import {
  shaOfCommit,
  mentionedIssues,
  mayReadRequests,
  requireOwnMilestone,
  mentionedRequests,
  addContextCommits,
  contextCommits,
  removeContextCommits,
} from './service.ts'
import { closedIssues, closingRequests, readableIssues, readableRequests, requestsOfCommit } from './store.ts'
import type { PageRange } from '../types.ts'

const commitsParam = { commits: list(text({ max: 1100 })).describe('The SHAs of the commits, at most 20') }
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
      const commits = await contextCommits(ctx, owner, request)
      return { rows: commits.slice(paging.offset, paging.offset + paging.limit), total: commits.length }
    },
  },
)

export const postContextCommits = endpoint(
  'POST /projects/:id/merge_requests/:merge_request_iid/context_commits',
  {
    summary: 'Create context commits of a merge request',
    scope: project,
    can: abilities.change_merge_request,
    params: { ...iidParam, ...commitsParam },
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
    params: { ...iidParam, ...commitsParam },
    fails: { 400: INVALID },
    returns: noContent,
    run: ({ project: owner, params, ...ctx }) => {
      const request = findMergeRequest(ctx, owner, params.merge_request_iid)
      checkUpdate(ctx, owner, request)
      removeContextCommits(ctx, request, params.commits)
    },
  },
)

type RequestPage = ReturnType<typeof closingRequests>

/** Shows a page of merge requests as lists of the project do. */
async function listAnswer(ctx: Ctx, owner: Project, { rows, total }: RequestPage) {
  return { rows: await showMergeRequests(ctx, rows, { relativeTo: fullPath(owner) }), total }
}

export const listClosedIssues = endpoint(
  'GET /projects/:id/merge_requests/:merge_request_iid/closes_issues',
  {
    summary: 'List the issues that close on merge',
    scope: project,
    can: abilities.read_merge_request,
    params: iidParam,
    returns: page(Issue),
    run: ({ project: owner, params, paging, ...ctx }) => {
      const request = findMergeRequest(ctx, owner, params.merge_request_iid)
      const { rows, total } = closedIssues(ctx, request, paging)
      return { rows: showIssues(ctx, rows, { relative_to: fullPath(owner) }), total }
    },
  },
)

export const listRelatedIssues = endpoint(
  'GET /projects/:id/merge_requests/:merge_request_iid/related_issues',
  {
    summary: 'List the issues related to a merge request',
    scope: project,
    can: abilities.read_merge_request,
    params: iidParam,
    returns: page(Issue),
    run: async ({ project: owner, params, paging, ...ctx }) => {
      const request = findMergeRequest(ctx, owner, params.merge_request_iid)
      const ids = await mentionedIssues(ctx, owner, request)
      const { rows, total } = readableIssues(ctx, request, ids, paging)
      return { rows: showIssues(ctx, rows, { relative_to: fullPath(owner) }), total }
    },
  },
)

export const listClosers = endpoint('GET /projects/:id/issues/:issue_iid/closed_by', {
  summary: 'List the merge requests that close an issue on merge',
  scope: project,
  can: issueAbilities.read_issue,
  params: issueIidParam,
  returns: page(MergeRequestBasic),
  run: ({ project: owner, params, paging, ...ctx }) => {
    const issue = findIssue(ctx, owner, params.issue_iid)
    return listAnswer(ctx, owner, closingRequests(ctx, issue.id, paging))
  },
})

export const listRelatedRequests = endpoint('GET /projects/:id/issues/:issue_iid/related_merge_requests', {
  summary: 'List the merge requests related to an issue',
  scope: project,
  can: issueAbilities.read_issue,
  params: issueIidParam,
  returns: page(MergeRequestBasic),
  run: ({ project: owner, params, paging, ...ctx }) => {
    const issue = findIssue(ctx, owner, params.issue_iid)
    const ids = mentionedRequests(ctx, owner, issue)
    return listAnswer(ctx, owner, readableRequests(ctx, issue.id, ids, paging))
  },
})

export const listOfCommit = endpoint('GET /projects/:id/repository/commits/:sha/merge_requests', {
  summary: 'List the merge requests of a commit',
  scope: project,
  can: projectAbilities.read_code,
  params: {
    sha: text({ max: 1100 }).describe('The commit SHA, or the name of a branch or tag'),
    state: choice('opened', 'closed', 'locked', 'merged', 'all').optional().describe('Filter by state'),
  },
  returns: page(MergeRequestBasic),
  run: async ({ project: owner, params, paging, ...ctx }) => {
    const sha = await shaOfCommit(ctx, owner, params.sha)
    if (!mayReadRequests(ctx, owner)) return { rows: [], total: 0 }
    return listAnswer(ctx, owner, requestsOfCommit(ctx, owner.id, { sha, state: params.state }, paging))
  },
})

const milestoneIdParam = { milestone_id: int({ min: 1 }).describe('The ID of the milestone') }

/** Returns the page of a list that is sorted by creation time, newest first. */
const newestFirst = ({ limit, offset }: PageRange) => ({
  limit,
  offset,
  order_by: 'created_at',
  sort: 'desc' as const,
})

export const listOfMilestone = endpoint('GET /projects/:id/milestones/:milestone_id/merge_requests', {
  summary: 'List the merge requests of a project milestone',
  scope: project,
  can: milestoneAbilities.read_milestone,
  params: milestoneIdParam,
  returns: page(MergeRequestBasic),
  run: ({ project: owner, params, paging, ...ctx }) => {
    const of_milestone = requireOwnMilestone(ctx, params.milestone_id, { project_id: owner.id })
    const result = listMergeRequests(ctx, { project: owner }, { of_milestone }, newestFirst(paging))
    return listAnswer(ctx, owner, result)
  },
})

export const listOfGroupMilestone = endpoint('GET /groups/:id/milestones/:milestone_id/merge_requests', {
  summary: 'List the merge requests of a group milestone',
  scope: group,
  can: groupMilestoneAbilities.read_group_milestone,
  params: milestoneIdParam,
  returns: page(MergeRequestBasic),
  run: async ({ group: owner, params, paging, ...ctx }) => {
    const of_milestone = requireOwnMilestone(ctx, params.milestone_id, { group_id: owner.id })
    const scope = groupScope(ctx, owner, { non_archived: false })
    const { rows, total } = listMergeRequests(ctx, scope, { of_milestone }, newestFirst(paging))
    return { rows: await showMergeRequests(ctx, rows, { relativeTo: owner.full_path }), total }
  },
})
