import { atLeastOne, endpoint } from '../../http/endpoint.ts'
import { created, noContent, ok } from '../../http/returns.ts'
import { projectAbilities, project } from '../projects/index.ts'
import { MergeRequest } from './entity.ts'
import { findMergeRequest, iidParam } from './find.ts'
import { requestCheck } from './merging/status.ts'
import {
  createParams,
  EDITABLE,
  editParams,
  MAX_BODY,
  showParams,
  wantedAssignees,
  wantedCollaboration,
  withoutZero,
} from './params.ts'
import { abilities } from './policy.ts'
import {
  checkUpdate,
  createMergeRequest,
  deleteMergeRequest,
  updateMergeRequest,
  targetOf,
} from './service.ts'
import { showMergeRequest } from './view.ts'

export const postMergeRequest = endpoint('POST /projects/:id/merge_requests', {
  summary: 'Open a merge request',
  scope: project,
  can: projectAbilities.push_code,
  maxBody: MAX_BODY,
  params: createParams,
  fails: {
    400: 'A branch does not exist, or a text is too long',
    409: 'Another open merge request already exists for this source branch',
    422: 'The projects or branches do not go together',
  },
  returns: created(MergeRequest),
  run: async ({ project: source, params, ...ctx }) => {
    const target = targetOf(ctx, source, params.target_project_id)
    const made = await createMergeRequest(
      ctx,
      { source, target },
      {
        ...params,
        assignee_ids: wantedAssignees(params),
        reviewer_ids: params.reviewer_ids === undefined ? undefined : withoutZero(params.reviewer_ids),
        allow_collaboration: wantedCollaboration(params),
      },
    )
    return showMergeRequest(ctx, target, made)
  },
})

export const getMergeRequest = endpoint('GET /projects/:id/merge_requests/:merge_request_iid', {
  summary: 'Get a merge request',
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
  summary: 'Change a merge request',
  scope: project,
  can: abilities.change_merge_request,
  maxBody: MAX_BODY,
  params: { ...iidParam, ...editParams },
  together: [atLeastOne(...EDITABLE)],
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
      assignee_ids: wantedAssignees(params),
      reviewer_ids: params.reviewer_ids === undefined ? undefined : withoutZero(params.reviewer_ids),
      allow_collaboration: wantedCollaboration(params),
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
