import { endpoint, type Endpoint, type Shape } from '../../http/endpoint.ts'
import type { Nested } from '../../http/request/nesting.ts'
import { choice, text } from '../../http/params.ts'
import { noContent, ok, page } from '../../http/returns.ts'
import { validatorOf } from '../../http/validate.ts'
import { Failure } from '../../lib/fail.ts'
import { project } from '../projects/index.ts'
import { CATALOGUE, catalogueOf, type Flag, FLAG_DEFAULTS } from './catalogue/index.ts'
import { inputFromParams, paramsOf } from './params.ts'
import { abilities } from './policy.ts'
import { findIntegration, putIntegration, disable } from './service.ts'
import { activeOf, find, type IntegrationRow } from './store.ts'
import { z } from 'zod'
import { entity, time } from '../../http/entity.ts'
import { flagsOf, propertiesOf } from './settings.ts'

const FLAGS = Object.keys(FLAG_DEFAULTS).filter((flag) => flag !== 'archive_trace_events') as Flag[]
const flags = Object.fromEntries(FLAGS.map((flag) => [flag, z.boolean()]))

const fields = {
  id: z.int(),
  title: z.string(),
  slug: z.string(),
  created_at: time(),
  updated_at: time(),
  active: z.boolean(),
  ...flags,
  /** Newer clients expect this field. The instance has no inherited integrations. */
  inherited: z.boolean(),
}

function fieldsOf(row: IntegrationRow) {
  const rowFlags = flagsOf(row)
  return {
    id: row.id,
    title: catalogueOf(row.slug).title,
    slug: row.slug,
    created_at: row.created_at,
    updated_at: row.updated_at,
    active: row.active,
    ...Object.fromEntries(FLAGS.map((flag) => [flag, rowFlags[flag]])),
    inherited: false,
  }
}

/** An integration in the list of a project (spec administration 3.2). */
const Integration = entity('Integration', fields, fieldsOf)

/** The settings with the flag of job logs, because clients expect it there. */
function shownProperties(row: IntegrationRow): Record<string, string> {
  const hasLogFlag = catalogueOf(row.slug).flags.includes('archive_trace_events')
  const logFlag = hasLogFlag ? { archive_trace_events: flagsOf(row).archive_trace_events } : {}
  return { ...propertiesOf(row), ...logFlag } as Record<string, string>
}

/** An integration with its settings, without secrets. */
const IntegrationSettings = entity(
  'IntegrationSettings',
  { ...fields, properties: z.record(z.string(), z.union([z.string(), z.boolean(), z.number()])) },
  (row: IntegrationRow) => ({ ...fieldsOf(row), properties: shownProperties(row) }),
)

const slug = choice(...CATALOGUE.keys()).describe('The name of the integration')
const common = { scope: project, can: abilities.manage_integrations } as const
const fails = {
  400: '`400 Bad Request`: a setting is invalid',
  422: 'The integration can only be set up at its vendor',
}

/** One PUT endpoint for each integration, with its own parameters. */
const puts: ReadonlyMap<string, Endpoint> = new Map(
  Array.from(CATALOGUE.values(), (integration) => [
    integration.slug,
    endpoint(`PUT /projects/:id/integrations/${integration.slug}`, {
      ...common,
      summary: `Set up ${integration.title} for a project`,
      params: paramsOf(integration) as Shape,
      fails,
      returns: ok(IntegrationSettings),
      run: ({ project: owner, params, ...ctx }) =>
        putIntegration(ctx, owner.id, integration.slug, inputFromParams(integration, params)),
    }),
  ]),
)

/** Declares the endpoints at both paths of the contract. `/services` is the older one. */
function endpointsAt(at: 'integrations' | 'services'): Endpoint[] {
  return [
    endpoint(`GET /projects/:id/${at}`, {
      ...common,
      summary: 'List active project integrations',
      returns: page(Integration, { paging: 'none' }),
      run: ({ project: owner, ...ctx }) => {
        const rows = activeOf(ctx.db, owner.id)
        return { rows, total: rows.length }
      },
    }),
    endpoint(`GET /projects/:id/${at}/:slug`, {
      ...common,
      summary: 'Get the settings of a project integration',
      params: { slug },
      returns: ok(IntegrationSettings),
      run: ({ project: owner, params, ...ctx }) => findIntegration(ctx, owner.id, params.slug),
    }),
    // Known integrations have their own endpoints below `/integrations`, which describe their parameters.
    endpoint(`PUT /projects/:id/${at}/:slug`, {
      ...common,
      summary: 'Set up a project integration',
      params: { slug: text({ max: 255 }).describe('The name of the integration') },
      fails,
      returns: ok(IntegrationSettings),
      run: ({ project: owner, params, http, ...ctx }) => {
        const integration = CATALOGUE.get(params.slug)
        if (!integration) throw new Failure('not_found', undefined, { body: { error: '404 Not Found' } })
        const checked = validatorOf(puts.get(integration.slug)!).check({ ...http.rawParams } as Nested)
        return putIntegration(ctx, owner.id, integration.slug, inputFromParams(integration, checked))
      },
    }),
    endpoint(`DELETE /projects/:id/${at}/:slug`, {
      ...common,
      summary: 'Disable a project integration',
      params: { slug },
      returns: noContent,
      run: ({ project: owner, params, http, ...ctx }) => {
        const row = find(ctx.db, owner.id, params.slug)
        if (row) http.unmodifiedSince(row.updated_at)
        disable(ctx, owner.id, params.slug)
      },
    }),
  ]
}

export const integrations = [...puts.values(), ...endpointsAt('integrations')]
export const services = endpointsAt('services')
