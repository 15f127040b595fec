import { endpoint } from '../../../../http/endpoint.ts'
import { choice, int, text } from '../../../../http/params.ts'
import { ok, page } from '../../../../http/returns.ts'
import { project } from '../../../projects/index.ts'
import { abilities } from '../policy.ts'
import { findEnvironment } from '../service.ts'
import { cancelAutoStop } from '../stop.ts'
import { EnvironmentCounts, EnvironmentFolder, WindowDeployment, WindowEnvironment } from './entity.ts'
import { countSides, deploymentLines, listLines, viewOf } from './service.ts'

const environment_id = int().describe('Id of the environment')

export const environmentLines = endpoint('GET /-/projects/:id/environments', {
  summary: 'List the environments of a project as the window shows them',
  scope: project,
  can: abilities.read_environment,
  params: {
    side: choice('active', 'stopped').default('active').describe('What is up, or what was stopped'),
    search: text({ max: 255 }).optional().describe('Part of the name; folders are not kept together then'),
    folder: text({ max: 255 }).optional().describe('Only what lies in this folder'),
  },
  returns: page(EnvironmentFolder),
  run: ({ project: owner, params, paging, ...ctx }) => listLines(ctx, owner, params, paging),
})

export const environmentCounts = endpoint('GET /-/projects/:id/environments/counts', {
  summary: 'Count the environments of a project',
  scope: project,
  can: abilities.read_environment,
  returns: ok(EnvironmentCounts),
  run: ({ project: owner, ...ctx }) => countSides(ctx, owner),
})

export const environmentPlace = endpoint('GET /-/projects/:id/environments/:environment_id', {
  summary: 'Get an environment as the window shows it',
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
    summary: 'List what was brought to an environment',
    scope: project,
    can: abilities.read_deployment,
    params: { environment_id },
    returns: page(WindowDeployment),
    run: ({ project: owner, params, paging, ...ctx }) =>
      deploymentLines(ctx, owner, findEnvironment(ctx, owner, params.environment_id), paging),
  },
)

export const keepEnvironment = endpoint('POST /-/projects/:id/environments/:environment_id/keep', {
  summary: 'Let an environment not stop by itself',
  scope: project,
  can: abilities.update_environment,
  params: { environment_id },
  returns: ok(WindowEnvironment),
  run: ({ project: owner, params, ...ctx }) => {
    const row = findEnvironment(ctx, owner, params.environment_id)
    return viewOf(ctx, owner, cancelAutoStop(ctx, row))
  },
})
