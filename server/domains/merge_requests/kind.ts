import { issuableOf, type IssuableKind } from '../planning/index.ts'
import { MergeRequest } from './entity.ts'
import { findMergeRequest, iidParam } from './find.ts'
import { abilities } from './policy.ts'
import * as store from './store.ts'
import { showMergeRequest } from './view.ts'

/** Merge requests, for the endpoints that they share with issues. */
export const mergeRequestKind: IssuableKind = {
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
