import { endpoint } from '../../../../http/endpoint.ts'
import { bool, choice, int, text, timestamp } from '../../../../http/params.ts'
import { created, noContent, ok, page } from '../../../../http/returns.ts'
import { project } from '../../../projects/index.ts'
import { Deployment, DeploymentDetails } from '../entity.ts'
import { abilities } from '../../policy.ts'
import {
  approveDeployment,
  deleteDeployment,
  findDeployment,
  getDeployment,
  listDeployments,
  createDeployment,
  REPORTED_STATUSES,
  updateDeployment,
} from './service.ts'
import { ORDERS } from './store.ts'

const deployment_id = int().describe('The ID of the deployment')

export const getDeployments = endpoint('GET /projects/:id/deployments', {
  summary: 'List project deployments',
  scope: project,
  can: abilities.read_deployment,
  jobToken: true,
  params: {
    environment: text({ max: 255 }).optional().describe('Filter by the name of the environment'),
    status: choice('created', 'running', 'success', 'failed', 'canceled', 'blocked')
      .optional()
      .describe('Filter by status'),
    updated_after: timestamp()
      .optional()
      .describe('Return deployments updated at or after this time. Requires `order_by=updated_at`'),
    updated_before: timestamp()
      .optional()
      .describe('Return deployments updated at or before this time. Requires `order_by=updated_at`'),
    finished_after: timestamp().optional().describe('Return deployments finished at or after this time'),
    finished_before: timestamp().optional().describe('Return deployments finished at or before this time'),
  },
  fails: { 400: 'A filter by update time requires `order_by=updated_at`' },
  returns: page(Deployment, { order_by: ORDERS, sort: 'asc' }),
  run: ({ project: owner, params, paging, ...ctx }) => listDeployments(ctx, owner, params, paging),
})

export const getOneDeployment = endpoint('GET /projects/:id/deployments/:deployment_id', {
  summary: 'Get a single deployment',
  scope: project,
  can: abilities.read_deployment,
  jobToken: true,
  params: { deployment_id },
  returns: ok(DeploymentDetails),
  run: ({ project: owner, params, ...ctx }) => getDeployment(ctx, owner, params.deployment_id),
})

const status = choice(...REPORTED_STATUSES)

export const postDeployment = endpoint('POST /projects/:id/deployments', {
  summary: 'Create a deployment',
  scope: project,
  can: abilities.create_deployment,
  jobToken: true,
  params: {
    environment: text({ max: 4096 }).describe(
      'The name of the environment, which is created if it does not exist',
    ),
    sha: text({ max: 1100 }).describe('The SHA of the deployed commit'),
    ref: text({ max: 1100 }).describe('The deployed branch or tag'),
    tag: bool().describe('Whether `ref` is a tag'),
    status: status.describe('The status of the deployment'),
  },
  fails: { 400: 'The commit does not exist, or the name is invalid' },
  returns: created(DeploymentDetails),
  run: ({ project: owner, params, ...ctx }) => createDeployment(ctx, owner, params),
})

export const putDeployment = endpoint('PUT /projects/:id/deployments/:deployment_id', {
  summary: 'Update a deployment',
  scope: project,
  can: abilities.update_deployment,
  jobToken: true,
  params: { deployment_id, status: status.describe('The status of the deployment') },
  fails: { 400: 'The deployment cannot change to this status' },
  returns: ok(DeploymentDetails),
  run: ({ project: owner, params, ...ctx }) =>
    updateDeployment(ctx, owner, findDeployment(ctx, owner, params.deployment_id), params.status),
})

export const removeDeployment = endpoint('DELETE /projects/:id/deployments/:deployment_id', {
  summary: 'Delete a deployment',
  scope: project,
  can: abilities.destroy_deployment,
  params: { deployment_id },
  fails: { 400: 'The deployment is running, or is the last successful one of the environment' },
  returns: noContent,
  run: ({ project: owner, params, ...ctx }) => {
    const row = findDeployment(ctx, owner, params.deployment_id)
    ctx.http.unmodifiedSince(row.updated_at)
    deleteDeployment(ctx, owner, row)
  },
})

export const postApproval = endpoint('POST /projects/:id/deployments/:deployment_id/approval', {
  summary: 'Approve or reject a deployment',
  scope: project,
  can: abilities.update_deployment,
  params: {
    deployment_id,
    status: choice('approved', 'rejected').describe('The decision'),
    comment: text().optional().describe('A short description'),
    represented_as: text({ max: 255 }).optional().describe('The user or group that the decision represents'),
  },
  fails: { 400: 'The deployment is not waiting for approval' },
  returns: created(Deployment),
  run: ({ project: owner, params, ...ctx }) => {
    findDeployment(ctx, owner, params.deployment_id)
    return approveDeployment()
  },
})
