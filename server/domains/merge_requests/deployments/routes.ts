import { endpoint } from '../../../http/endpoint.ts'
import { oneOf } from '../../../http/entity.ts'
import { int } from '../../../http/params.ts'
import { page } from '../../../http/returns.ts'
import { environmentAbilities } from '../../ci/index.ts'
import { fullPath, project } from '../../projects/index.ts'
import { MergeRequestBasic, MergeRequestSimple } from '../entity.ts'
import { deploymentParams, filtersTogether, ORDERS } from '../lists/params.ts'
import { showPage } from '../lists/show.ts'
import { listDeployed } from './list.ts'

export const listOfDeployment = endpoint('GET /projects/:id/deployments/:deployment_id/merge_requests', {
  summary: 'List the merge requests that a deployment brought to its environment',
  scope: project,
  can: environmentAbilities.read_deployment,
  params: { deployment_id: int({ min: 1 }).describe('Id of the deployment'), ...deploymentParams },
  together: filtersTogether,
  returns: page(oneOf(MergeRequestBasic, MergeRequestSimple), {
    order_by: ORDERS,
    order: 'created_at',
    sort: 'desc',
  }),
  run: ({ project: owner, params, paging, ...ctx }) => {
    const found = listDeployed(ctx, owner, params, paging)
    return showPage(ctx, found, { ...params, relativeTo: fullPath(owner) })
  },
})
