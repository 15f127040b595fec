import type { Ctx } from '../../../ctx.ts'
import { endpoint, type Exchange, type Route } from '../../../http/endpoint.ts'
import { bool, text } from '../../../http/params.ts'
import { ok, raw } from '../../../http/returns.ts'
import { fail } from '../../../lib/fail.ts'
import { wrongCredential } from '../../auth/index.ts'
import { project } from '../../projects/index.ts'
import { abilities } from '../policy.ts'
import { ClientFeatures, FeatureFlagClient } from './entity.ts'
import { featuresIn, flagsOf } from './features.ts'
import { clientOf, makeClient, projectOfClient } from './service.ts'

const AT = '/feature_flags/unleash/:project_id'

const params = {
  project_id: text({ max: 1024 }).describe('Id or path of the project'),
  instance_id: text({ max: 1024 }).optional().describe('Token of the project, where no header says it'),
  app_name: text({ max: 1024 }).optional().describe('Environment, where no header says it'),
}

interface Asked {
  readonly project_id: string
  readonly instance_id?: string
  readonly app_name?: string
}

/** The project of the token that was shown. Throws 401 for every other, whether it is there or not. */
function projectOf(ctx: Ctx & { readonly http: Exchange }, { project_id, instance_id }: Asked): number {
  const shown = ctx.http.header('UNLEASH-INSTANCEID') || (instance_id ?? '')
  const found = projectOfClient(ctx, project_id, shown)
  if (found === undefined) throw wrongCredential(ctx, shown, fail('unauthorized'))
  return found
}

/** Programs show a token of their own kind; what else they send to prove who they are is not looked at. */
const common = { can: 'anyone', openly: true, params } as const
const EMPTY = { type: 'text/plain', body: '' }

function readFeatures(route: Route) {
  return endpoint(route, {
    ...common,
    summary: 'Get the feature flags of an environment as SDKs read them',
    returns: ok(ClientFeatures),
    run: (ctx) => {
      const flags = flagsOf(ctx, projectOf(ctx, ctx.params))
      const environment = ctx.http.header('UNLEASH-APPNAME') || (ctx.params.app_name ?? '')
      return environment === '' ? [] : featuresIn(flags, environment)
    },
  })
}

/** What SDKs send is of no use here; they only want to hear that it arrived. */
function takeReport(route: Route, summary: string) {
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

export const checkClient = endpoint(`GET ${AT}`, {
  ...common,
  summary: 'Check the token of an SDK',
  returns: raw,
  run: (ctx) => {
    projectOf(ctx, ctx.params)
    return EMPTY
  },
})

export const features = [readFeatures(`GET ${AT}/features`), readFeatures(`GET ${AT}/client/features`)]

export const reports = [
  takeReport(`POST ${AT}/client/register`, 'Take note of an SDK that starts'),
  takeReport(`POST ${AT}/client/metrics`, 'Take note of what an SDK was asked'),
]

export const getClient = endpoint('GET /-/projects/:id/feature_flags/client', {
  summary: 'Get what programs read the feature flags of a project with',
  scope: project,
  can: abilities.admin_feature_flag_client,
  returns: ok(FeatureFlagClient),
  run: (ctx) => clientOf(ctx, ctx.project.id),
})

export const resetClient = endpoint('POST /-/projects/:id/feature_flags/client', {
  summary: 'Make the token of programs that read the feature flags of a project',
  scope: project,
  can: abilities.admin_feature_flag_client,
  params: {
    anew: bool().default(false).describe('Replace an existing token; programs need the new one'),
  },
  returns: ok(FeatureFlagClient),
  run: (ctx) => makeClient(ctx, ctx.project.id, { anew: ctx.params.anew }),
})
