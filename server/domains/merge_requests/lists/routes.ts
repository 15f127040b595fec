import type { Ctx } from '../../../ctx.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { as, oneOf, type PresentedRow } from '../../../http/entity.ts'
import { int } from '../../../http/params.ts'
import { page, type Rows } from '../../../http/returns.ts'
import { ciAbilities } from '../../ci/index.ts'
import { group } from '../../groups/index.ts'
import { fullPath, project, projectById } from '../../projects/index.ts'
import { userSearchLimit } from '../../users/index.ts'
import { MergeRequestBasic, MergeRequestSimple } from '../entity.ts'
import { abilities, groupAbilities } from '../policy.ts'
import { listRequestsOfDeployment } from '../service-deployments.ts'
import { showMergeRequests, type ShowOptions } from '../service-view.ts'
import type { MergeRequestRow } from '../types.ts'
import {
  deploymentParams,
  parameterRules,
  groupParams,
  instanceParams,
  ORDERS,
  projectParams,
} from './params.ts'
import { groupScope, listMergeRequests } from './store.ts'

const listAnswer = page(oneOf(MergeRequestBasic, MergeRequestSimple), {
  order_by: ORDERS,
  order: 'created_at',
  sort: 'desc',
})

export const listAll = endpoint('GET /merge_requests', {
  summary: 'List merge requests',
  can: 'signed_in',
  params: instanceParams,
  parameterRules,
  pure: true,
  limit: userSearchLimit,
  returns: listAnswer,
  run: ({ params, paging, ...ctx }) => {
    const result = listMergeRequests(ctx, { non_archived: params.non_archived }, params, paging)
    return showPage(ctx, result, params)
  },
})

export const listOfGroup = endpoint('GET /groups/:id/merge_requests', {
  summary: 'List group merge requests',
  scope: group,
  can: groupAbilities.read_group_merge_requests,
  params: groupParams,
  parameterRules,
  pure: true,
  limit: userSearchLimit,
  returns: listAnswer,
  run: ({ group: owner, params, paging, ...ctx }) => {
    const result = listMergeRequests(ctx, groupScope(ctx, owner, params), params, paging)
    return showPage(ctx, result, { ...params, relativeTo: owner.full_path })
  },
})

export const listOfProject = endpoint('GET /projects/:id/merge_requests', {
  summary: 'List project merge requests',
  scope: project,
  can: abilities.read_merge_request,
  params: projectParams,
  parameterRules,
  pure: true,
  limit: userSearchLimit,
  returns: listAnswer,
  run: ({ project: owner, params, paging, ...ctx }) => {
    const result = listMergeRequests(ctx, { project: owner }, params, paging)
    return showPage(ctx, result, { ...params, relativeTo: fullPath(owner) })
  },
})

/** Options for showing a list. */
export interface ListOptions extends ShowOptions {
  readonly view?: 'simple' | undefined
}

/** Shows a page of merge requests in the requested view. */
export async function showPage(
  ctx: Ctx,
  result: Rows<MergeRequestRow>,
  options: ListOptions,
): Promise<Rows<PresentedRow>> {
  if (options.view === 'simple') {
    const paths = new Map<number, string>()
    const pathOf = (id: number): string => {
      if (!paths.has(id)) paths.set(id, fullPath(projectById(ctx.db, id)!))
      return paths.get(id)!
    }
    const rows = result.rows.map(
      (request) => as(MergeRequestSimple, { request, path: pathOf(request.project_id) }) as PresentedRow,
    )
    return { ...result, rows }
  }
  const views = await showMergeRequests(ctx, result.rows, options)
  return { ...result, rows: views.map((view) => as(MergeRequestBasic, view) as PresentedRow) }
}

export const listOfDeployment = endpoint('GET /projects/:id/deployments/:deployment_id/merge_requests', {
  summary: 'List the merge requests of a deployment',
  scope: project,
  can: ciAbilities.read_deployment,
  params: { deployment_id: int({ min: 1 }).describe('The ID of the deployment'), ...deploymentParams },
  parameterRules,
  returns: listAnswer,
  run: ({ project: owner, params, paging, ...ctx }) => {
    const result = listRequestsOfDeployment(ctx, owner, params, paging)
    return showPage(ctx, result, { ...params, relativeTo: fullPath(owner) })
  },
})
