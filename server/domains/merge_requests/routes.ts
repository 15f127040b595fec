import { atLeastOne, endpoint } from '../../http/endpoint.ts'
import { created, noContent, ok, page } from '../../http/returns.ts'
import {
  issuableOf,
  participantEndpoints,
  resourceEventEndpoints,
  subscriptionEndpoints,
  timeEndpoints,
  type IssuableKind,
} from '../planning/index.ts'
import { project, projectAbilities } from '../projects/index.ts'
import { MergeRequest, Reviewer } from './entity.ts'
import { requestCheck } from './merging/check.ts'
import {
  createParams,
  EDITABLE,
  editParams,
  iidParam,
  MAX_BODY,
  showParams,
  requestedAssigneeIds,
  requestedCollaboration,
  withoutZero,
} from './params.ts'
import { abilities } from './policy.ts'
import { reviewersOf } from './service-metadata.ts'
import { showMergeRequest } from './service-view.ts'
import {
  checkUpdate,
  createMergeRequest,
  deleteMergeRequest,
  findMergeRequest,
  targetOf,
  updateMergeRequest,
} from './service.ts'
import * as store from './store.ts'

export const postMergeRequest = endpoint('POST /projects/:id/merge_requests', {
  summary: 'Create a merge request',
  scope: project,
  can: projectAbilities.push_code,
  maxBody: MAX_BODY,
  params: createParams,
  fails: {
    400: 'A branch does not exist, or a text is too long',
    409: 'Another open merge request already exists for this source branch',
    422: 'The projects are not related, or the branches are the same',
  },
  returns: created(MergeRequest),
  run: async ({ project: source, params, ...ctx }) => {
    const target = targetOf(ctx, source, params.target_project_id)
    const createdRequest = await createMergeRequest(
      ctx,
      { source, target },
      {
        ...params,
        assignee_ids: requestedAssigneeIds(params),
        reviewer_ids: params.reviewer_ids === undefined ? undefined : withoutZero(params.reviewer_ids),
        allow_collaboration: requestedCollaboration(params),
      },
    )
    return showMergeRequest(ctx, target, createdRequest)
  },
})

export const getMergeRequest = endpoint('GET /projects/:id/merge_requests/:merge_request_iid', {
  summary: 'Get a single merge request',
  scope: project,
  can: abilities.read_merge_request,
  params: { ...iidParam, ...showParams },
  returns: ok(MergeRequest),
  run: ({ project: owner, params, ...ctx }) => {
    const request = findMergeRequest(ctx, owner, params.merge_request_iid)
    const options = { ...params, with_first_contribution: true }
    return showMergeRequest(ctx, owner, requestCheck(ctx, request), options)
  },
})

export const putMergeRequest = endpoint('PUT /projects/:id/merge_requests/:merge_request_iid', {
  summary: 'Update a merge request',
  scope: project,
  can: abilities.change_merge_request,
  maxBody: MAX_BODY,
  params: { ...iidParam, ...editParams },
  parameterRules: [atLeastOne(...EDITABLE)],
  fails: {
    400: 'A branch does not exist, or a text is too long',
    409: 'Another open merge request already exists for this source branch',
    422: 'The branches are the same',
  },
  returns: ok(MergeRequest),
  run: async ({ project: owner, params, ...ctx }) => {
    const request = findMergeRequest(ctx, owner, params.merge_request_iid)
    checkUpdate(ctx, owner, request)
    const edited = await updateMergeRequest(ctx, owner, request, {
      ...params,
      assignee_ids: requestedAssigneeIds(params),
      reviewer_ids: params.reviewer_ids === undefined ? undefined : withoutZero(params.reviewer_ids),
      allow_collaboration: requestedCollaboration(params),
    })
    return showMergeRequest(ctx, owner, edited)
  },
})

export const deleteOne = endpoint('DELETE /projects/:id/merge_requests/:merge_request_iid', {
  summary: 'Delete a merge request',
  scope: project,
  can: abilities.delete_merge_request,
  params: iidParam,
  returns: noContent,
  run: ({ project: owner, params, http, ...ctx }) => {
    const request = findMergeRequest(ctx, owner, params.merge_request_iid)
    http.unmodifiedSince(request.updated_at)
    deleteMergeRequest(ctx, request)
  },
})

/** Describes merge requests to the endpoints that they share with issues. */
const mergeRequestKind: IssuableKind = {
  name: 'MergeRequest',
  path: '/merge_requests/:merge_request_iid',
  title: 'merge request',
  params: iidParam,
  read: abilities.read_merge_request,
  subscribe: abilities.subscribe_merge_request,
  plan: abilities.update_merge_request,
  load: (ctx, project, params) =>
    issuableOf('MergeRequest', findMergeRequest(ctx, project, Number(params['merge_request_iid']))),
}

export const subscriptions = subscriptionEndpoints(mergeRequestKind, {
  returns: created(MergeRequest),
  show: (ctx, project, id) => showMergeRequest(ctx, project, store.byId(ctx.db, id)!),
})

export const participants = participantEndpoints(mergeRequestKind)

export const times = timeEndpoints(mergeRequestKind)

export const resourceEvents = resourceEventEndpoints(mergeRequestKind)

export const listReviewers = endpoint('GET /projects/:id/merge_requests/:merge_request_iid/reviewers', {
  summary: 'List the reviewers of a merge request',
  scope: project,
  can: abilities.read_merge_request,
  params: iidParam,
  returns: page(Reviewer),
  run: ({ project: owner, params, paging, ...ctx }) => {
    const reviewers = reviewersOf(ctx, findMergeRequest(ctx, owner, params.merge_request_iid))
    return { rows: reviewers.slice(paging.offset, paging.offset + paging.limit), total: reviewers.length }
  },
})
