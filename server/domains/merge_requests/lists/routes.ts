import { endpoint } from '../../../http/endpoint.ts'
import { oneOf } from '../../../http/entity.ts'
import { page } from '../../../http/returns.ts'
import { group } from '../../groups/index.ts'
import { fullPath, project } from '../../projects/index.ts'
import { searching } from '../../users/index.ts'
import { MergeRequestBasic, MergeRequestSimple } from '../entity.ts'
import { abilities, groupAbilities } from '../policy.ts'
import { filtersTogether, groupParams, instanceParams, ORDERS, projectParams } from './params.ts'
import { groupPlace, listMergeRequests } from './service.ts'
import { showPage } from './show.ts'

const listed = page(oneOf(MergeRequestBasic, MergeRequestSimple), {
  order_by: ORDERS,
  order: 'created_at',
  sort: 'desc',
})

export const listAll = endpoint('GET /merge_requests', {
  summary: 'List merge requests that the caller sees',
  can: 'signed_in',
  params: instanceParams,
  together: filtersTogether,
  pure: true,
  limit: searching,
  returns: listed,
  run: ({ params, paging, ...ctx }) => {
    const found = listMergeRequests(ctx, { non_archived: params.non_archived }, params, paging)
    return showPage(ctx, found, params)
  },
})

export const listOfGroup = endpoint('GET /groups/:id/merge_requests', {
  summary: 'List merge requests of the projects of a group and of all groups below it',
  scope: group,
  can: groupAbilities.read_group_merge_requests,
  params: groupParams,
  together: filtersTogether,
  pure: true,
  limit: searching,
  returns: listed,
  run: ({ group: owner, params, paging, ...ctx }) => {
    const found = listMergeRequests(ctx, groupPlace(ctx, owner, params), params, paging)
    return showPage(ctx, found, { ...params, relativeTo: owner.full_path })
  },
})

export const listOfProject = endpoint('GET /projects/:id/merge_requests', {
  summary: 'List the merge requests of a project',
  scope: project,
  can: abilities.read_merge_request,
  params: projectParams,
  together: filtersTogether,
  pure: true,
  limit: searching,
  returns: listed,
  run: ({ project: owner, params, paging, ...ctx }) => {
    const found = listMergeRequests(ctx, { project: owner }, params, paging)
    return showPage(ctx, found, { ...params, relativeTo: fullPath(owner) })
  },
})
