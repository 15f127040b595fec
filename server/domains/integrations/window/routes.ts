import { endpoint } from '../../../http/endpoint.ts'
import { dictionary, text } from '../../../http/params.ts'
import { ok, page } from '../../../http/returns.ts'
import { project, projectAbilities } from '../../projects/index.ts'
import { deliveriesOf, HookLogEntry, MAX_DELIVERIES } from '../../webhooks/index.ts'
import { testIntegration } from '../delivering/testing.ts'
import { inputFromForm } from '../params.ts'
import { abilities } from '../policy.ts'
import { changeIntegration, findIntegration } from '../service.ts'
import { IntegrationTest, WindowIntegration, WindowIntegrationForm, WindowOutside } from './entity.ts'
import { listIntegrations, openForm, externalPagesOf } from './service.ts'

const common = { scope: project, can: abilities.manage_integrations } as const
const slug = text({ max: 255 }).describe('The name of the integration')

export const windowIntegrations = endpoint('GET /-/projects/:id/integrations', {
  ...common,
  summary: 'List all available integrations of a project',
  returns: page(WindowIntegration, { paging: 'none' }),
  run: ({ project: owner, ...ctx }) => {
    const rows = listIntegrations(ctx, owner.id)
    return { rows, total: rows.length }
  },
})

export const windowIntegration = endpoint('GET /-/projects/:id/integrations/:slug', {
  ...common,
  summary: 'Get the form of an integration',
  params: { slug },
  returns: ok(WindowIntegrationForm),
  run: ({ project: owner, params, ...ctx }) => openForm(ctx, owner.id, params.slug),
})

export const saveIntegration = endpoint('PUT /-/projects/:id/integrations/:slug', {
  ...common,
  summary: 'Save the form of an integration and activate it',
  params: {
    slug,
    settings: dictionary()
      .optional()
      .describe('The values by field. An empty value clears a field, a missing one keeps it'),
    flags: dictionary().optional().describe('Whether the integration gets events, by flag'),
  },
  fails: { 400: 'A setting is invalid. The body has the problems by field' },
  returns: ok(WindowIntegrationForm),
  run: async ({ project: owner, params, ...ctx }) => {
    const { integration } = openForm(ctx, owner.id, params.slug)
    const input = inputFromForm(integration, params.settings ?? {}, params.flags ?? {})
    await changeIntegration(ctx, owner.id, integration.slug, input)
    return openForm(ctx, owner.id, integration.slug)
  },
})

export const tryIntegration = endpoint('POST /-/projects/:id/integrations/:slug/test', {
  ...common,
  summary: 'Test an integration with the latest event of the project',
  params: { slug },
  limit: { max: 10, per: 60 },
  returns: ok(IntegrationTest),
  run: ({ project: owner, params, ...ctx }) =>
    testIntegration(ctx, owner, findIntegration(ctx, owner.id, params.slug)),
})

export const integrationLog = endpoint('GET /-/projects/:id/integrations/:slug/deliveries', {
  ...common,
  summary: 'List the deliveries of an integration',
  params: { slug },
  returns: page(HookLogEntry, { maxPerPage: MAX_DELIVERIES }),
  run: ({ project: owner, params, paging, ...ctx }) =>
    deliveriesOf(ctx, { integration_id: findIntegration(ctx, owner.id, params.slug).id }, paging),
})

export const outside = endpoint('GET /-/projects/:id/outside', {
  scope: project,
  can: projectAbilities.read_project,
  summary: 'Get the external wiki and issue tracker of a project',
  returns: ok(WindowOutside),
  run: ({ project: owner, ...ctx }) => externalPagesOf(ctx, owner.id),
})
