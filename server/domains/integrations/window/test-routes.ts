import { endpoint } from '../../../http/endpoint.ts'
import { choice } from '../../../http/params.ts'
import { ok } from '../../../http/returns.ts'
import { project } from '../../projects/index.ts'
import { CATALOGUE } from '../catalogue/index.ts'
import { testIntegration } from '../delivering/test.ts'
import { abilities } from '../policy.ts'
import { findIntegration } from '../service.ts'
import { IntegrationTest } from './entity.ts'

export const tryIntegration = endpoint('POST /-/projects/:id/integrations/:slug/test', {
  scope: project,
  can: abilities.manage_integrations,
  summary: 'Try an integration with the newest thing of the project',
  params: { slug: choice(...CATALOGUE.keys()).describe('Which integration') },
  limit: { max: 10, per: 60 },
  returns: ok(IntegrationTest),
  run: ({ project: owner, params, ...ctx }) =>
    testIntegration(ctx, owner, findIntegration(ctx, owner.id, params.slug)),
})
