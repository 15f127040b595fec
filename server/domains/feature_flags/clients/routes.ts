import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { endpoint, type Exchange, type Route } from '../../../http/endpoint.ts'
import { entity, time } from '../../../http/entity.ts'
import { bool, text } from '../../../http/params.ts'
import { ok, raw } from '../../../http/returns.ts'
import { fail } from '../../../lib/fail.ts'
import { wrongCredential } from '../../auth/index.ts'
import { project } from '../../projects/index.ts'
import { abilities } from '../policy.ts'
import { featuresIn, flagsOf, type Feature } from './features.ts'
import { clientOf, makeClient, projectOfClient, type FlagClient } from './service.ts'

const feature = z.strictObject({
  name: z.string(),
  description: z.string().optional(),
  enabled: z.boolean(),
  strategies: z.array(z.strictObject({ name: z.string(), parameters: z.record(z.string(), z.string()) })),
})

/** The feature flags of an environment, for SDKs (spec ci 7.1). */
const ClientFeatures = entity(
  'ClientFeatures',
  { version: z.literal(1), features: z.array(feature) },
  (features: readonly Feature[]) => ({
    version: 1 as const,
    features: features.map(({ name, description, enabled, strategies }) => ({
      name,
      ...(description === null ? {} : { description }),
      enabled,
      strategies: strategies.map((strategy) => ({
        name: strategy.name,
        parameters: { ...strategy.parameters },
      })),
    })),
  }),
)

/** The connection data of the clients of a project. */
const FeatureFlagClient = entity(
  'FeatureFlagClient',
  { api_url: z.string(), instance_id: z.string().nullable(), created_at: time().nullable() },
  (client: FlagClient, at) => ({
    api_url: `${at.url}/api/v4/feature_flags/unleash/${client.project_id}`,
    instance_id: client.instance_id,
    created_at: client.created_at,
  }),
)

const PATH = '/feature_flags/unleash/:project_id'

const params = {
  project_id: text({ max: 1024 }).describe('The ID or path of the project'),
  instance_id: text({ max: 1024 })
    .optional()
    .describe('The token of the project, if the header `UNLEASH-INSTANCEID` is missing'),
  app_name: text({ max: 1024 })
    .optional()
    .describe('The name of the environment, if the header `UNLEASH-APPNAME` is missing'),
}

interface ClientRequest {
  readonly project_id: string
  readonly instance_id?: string
  readonly app_name?: string
}

/** Returns the project of the token. Throws 401 for an invalid token and for an unknown project. */
function projectOf(
  ctx: Ctx & { readonly http: Exchange },
  { project_id, instance_id }: ClientRequest,
): number {
  const token = ctx.http.header('UNLEASH-INSTANCEID') || (instance_id ?? '')
  const projectId = projectOfClient(ctx, project_id, token)
  if (projectId === undefined) throw wrongCredential(ctx, token, fail('unauthorized'))
  return projectId
}

/** Clients authenticate with a token of their own kind. The endpoints ignore other credentials. */
const common = { can: 'anyone', ignoresCredentials: true, params } as const
const EMPTY = { type: 'text/plain', body: '' }

function readFeatures(route: Route) {
  return endpoint(route, {
    ...common,
    summary: 'List the feature flags of an environment for SDKs',
    returns: ok(ClientFeatures),
    run: (ctx) => {
      const flags = flagsOf(ctx, projectOf(ctx, ctx.params))
      const environment = ctx.http.header('UNLEASH-APPNAME') || (ctx.params.app_name ?? '')
      return environment === '' ? [] : featuresIn(flags, environment)
    },
  })
}

/** Declares an endpoint that accepts a report of an SDK and discards it, because the instance does not use it. */
function reportEndpoint(route: Route, summary: string) {
  return endpoint(route, {
    ...common,
    summary,
    takesBytes: true,
    returns: raw,
    run: (ctx) => {
      projectOf(ctx, ctx.params)
      return EMPTY
    },
  })
}

export const checkClient = endpoint(`GET ${PATH}`, {
  ...common,
  summary: 'Authenticate an SDK',
  returns: raw,
  run: (ctx) => {
    projectOf(ctx, ctx.params)
    return EMPTY
  },
})

export const features = [readFeatures(`GET ${PATH}/features`), readFeatures(`GET ${PATH}/client/features`)]

export const reports = [
  reportEndpoint(`POST ${PATH}/client/register`, 'Register an SDK (the report is discarded)'),
  reportEndpoint(`POST ${PATH}/client/metrics`, 'Receive the metrics of an SDK (they are discarded)'),
]

export const getClient = endpoint('GET /-/projects/:id/feature_flags/client', {
  summary: 'Get the connection data of the feature flag clients of a project',
  scope: project,
  can: abilities.admin_feature_flag_client,
  returns: ok(FeatureFlagClient),
  run: (ctx) => clientOf(ctx, ctx.project.id),
})

export const resetClient = endpoint('POST /-/projects/:id/feature_flags/client', {
  summary: 'Create the token of the feature flag clients of a project',
  scope: project,
  can: abilities.admin_feature_flag_client,
  params: {
    anew: bool().default(false).describe('Replace an existing token. Clients then need the new token'),
  },
  returns: ok(FeatureFlagClient),
  run: (ctx) => makeClient(ctx, ctx.project.id, { anew: ctx.params.anew }),
})
