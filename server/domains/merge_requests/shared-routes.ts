import { endpoint } from '../../http/endpoint.ts'
import { page } from '../../http/returns.ts'
import {
  participantEndpoints,
  resourceEventEndpoints,
  subscriptionEndpoints,
  timeEndpoints,
} from '../planning/index.ts'
import { project } from '../projects/index.ts'
import { Reviewer } from './entity.ts'
import { findMergeRequest, iidParam } from './find.ts'
import { mergeRequestKind } from './kind.ts'
import { reviewersOf } from './people.ts'
import { abilities } from './policy.ts'

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
