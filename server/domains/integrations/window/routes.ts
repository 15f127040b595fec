import { endpoint } from '../../../http/endpoint.ts'
import { dictionary, text } from '../../../http/params.ts'
import { ok, page } from '../../../http/returns.ts'
import { project, projectAbilities } from '../../projects/index.ts'
import { deliveriesOf, HookLogEntry, MOST_DELIVERIES } from '../../webhooks/index.ts'
import { testIntegration } from '../delivering/testing.ts'
import { givenByForm } from '../params.ts'
import { abilities } from '../policy.ts'
import { changeIntegration, findIntegration } from '../service.ts'
import { IntegrationTest, WindowIntegration, WindowIntegrationForm, WindowOutside } from './entity.ts'
import { listIntegrations, openForm, outsideOf } from './service.ts'

const common = { scope: project, can: abilities.manage_integrations } as const
const slug = text({ max: 255 }).describe('Which integration')

export const windowIntegrations = endpoint('GET /-/projects/:id/integrations', {
  ...common,
  summary: 'List all integrations that a project could have',
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
  summary: 'Save the form of an integration and switch it on',
  params: {
    slug,
    settings: dictionary().optional().describe('Texts by field; an empty one clears, what is left out stays'),
    flags: dictionary().optional().describe('Whether it is told of events, by flag'),
  },
  fails: { 400: 'What is wrong, by field' },
  returns: ok(WindowIntegrationForm),
  run: async ({ project: owner, params, ...ctx }) => {
    const { one } = openForm(ctx, owner.id, params.slug)
    const given = givenByForm(one, params.settings ?? {}, params.flags ?? {})
    await changeIntegration(ctx, owner.id, one.slug, given)
    return openForm(ctx, owner.id, one.slug)
  },
})

export const tryIntegration = endpoint('POST /-/projects/:id/integrations/:slug/test', {
  ...common,
  summary: 'Try an integration with the newest thing of the project',
  params: { slug },
  limit: { max: 10, per: 60 },
  returns: ok(IntegrationTest),
  run: ({ project: owner, params, ...ctx }) =>
    testIntegration(ctx, owner, findIntegration(ctx, owner.id, params.slug)),
})

export const integrationLog = endpoint('GET /-/projects/:id/integrations/:slug/deliveries', {
  ...common,
  summary: 'List what was sent to an integration',
  params: { slug },
  returns: page(HookLogEntry, { most: MOST_DELIVERIES }),
  run: ({ project: owner, params, paging, ...ctx }) =>
    deliveriesOf(ctx, { integration_id: findIntegration(ctx, owner.id, params.slug).id }, paging),
})

export const outside = endpoint('GET /-/projects/:id/outside', {
  scope: project,
  can: projectAbilities.read_project,
  summary: 'Get where the wiki and the issues of a project are, if elsewhere',
  returns: ok(WindowOutside),
  run: ({ project: owner, ...ctx }) => outsideOf(ctx, owner.id),
})
