import { endpoint } from '../../../../http/endpoint.ts'
import { choice, int, text } from '../../../../http/params.ts'
import { ok, page } from '../../../../http/returns.ts'
import { project } from '../../../projects/index.ts'
import { abilities } from '../policy.ts'
import { findEnvironment } from '../service.ts'
import { cancelAutoStop } from '../stop.ts'
import { EnvironmentCounts, EnvironmentFolder, WindowDeployment, WindowEnvironment } from './entity.ts'
import { countSides, deploymentLines, listLines, viewOf } from './service.ts'

const environment_id = int().describe('The ID of the environment')

export const environmentLines = endpoint('GET /-/projects/:id/environments', {
  summary: 'List project environments for the window',
  scope: project,
  can: abilities.read_environment,
  params: {
    side: choice('active', 'stopped').default('active').describe('Filter by active or stopped environments'),
    search: text({ max: 255 }).optional().describe('Part of the name; folders are not kept together then'),
    folder: text({ max: 255 }).optional().describe('Filter by folder'),
  },
  returns: page(EnvironmentFolder),
  run: ({ project: owner, params, paging, ...ctx }) => listLines(ctx, owner, params, paging),
})

export const environmentCounts = endpoint('GET /-/projects/:id/environments/counts', {
  summary: 'Count project environments',
  scope: project,
  can: abilities.read_environment,
  returns: ok(EnvironmentCounts),
  run: ({ project: owner, ...ctx }) => countSides(ctx, owner),
})

export const windowEnvironment = endpoint('GET /-/projects/:id/environments/:environment_id', {
  summary: 'Get a single environment for the window',
  scope: project,
  can: abilities.read_environment,
  params: { environment_id },
  returns: ok(WindowEnvironment),
  run: ({ project: owner, params, ...ctx }) =>
    viewOf(ctx, owner, findEnvironment(ctx, owner, params.environment_id)),
})

export const environmentDeployments = endpoint(
  'GET /-/projects/:id/environments/:environment_id/deployments',
  {
    summary: 'List the deployments of an environment',
    scope: project,
    can: abilities.read_deployment,
    params: { environment_id },
    returns: page(WindowDeployment),
    run: ({ project: owner, params, paging, ...ctx }) =>
      deploymentLines(ctx, owner, findEnvironment(ctx, owner, params.environment_id), paging),
  },
)

export const keepEnvironment = endpoint('POST /-/projects/:id/environments/:environment_id/keep', {
  summary: 'Cancel the automatic stop of an environment',
  scope: project,
  can: abilities.update_environment,
  params: { environment_id },
  returns: ok(WindowEnvironment),
  run: ({ project: owner, params, ...ctx }) => {
    const row = findEnvironment(ctx, owner, params.environment_id)
    return viewOf(ctx, owner, cancelAutoStop(ctx, row))
  },
})
