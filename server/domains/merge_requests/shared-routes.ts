import { endpoint } from '../../http/endpoint.ts'
import { page } from '../../http/returns.ts'
import {
  issuableOf,
  participantEndpoints,
  resourceEventEndpoints,
  subscriptionEndpoints,
  timeEndpoints,
  type IssuableKind,
} from '../planning/index.ts'
import { project } from '../projects/index.ts'
import { MergeRequest, Reviewer } from './entity.ts'
import { findMergeRequest, iidParam } from './find.ts'
import { reviewersOf } from './people.ts'
import { abilities } from './policy.ts'
import * as store from './store.ts'
import { showMergeRequest } from './view.ts'

/** Merge requests, for the endpoints that they share with issues. */
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
  entity: MergeRequest,
  show: (ctx, project, id) => showMergeRequest(ctx, project, store.byId(ctx.db, id)!),
}

export const subscriptions = subscriptionEndpoints(mergeRequestKind)
export const participants = participantEndpoints(mergeRequestKind)
export const times = timeEndpoints(mergeRequestKind)
export const resourceEvents = resourceEventEndpoints(mergeRequestKind)

export const listReviewers = endpoint('GET /projects/:id/merge_requests/:merge_request_iid/reviewers', {
  summary: 'List who is asked to review a merge request, and whether they did',
  scope: project,
  can: abilities.read_merge_request,
  params: iidParam,
  returns: page(Reviewer),
  run: ({ project: owner, params, paging, ...ctx }) => {
    const all = reviewersOf(ctx, findMergeRequest(ctx, owner, params.merge_request_iid))
    return { rows: all.slice(paging.offset, paging.offset + paging.limit), total: all.length }
  },
})
