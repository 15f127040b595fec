import { endpoint } from '../../../http/endpoint.ts'
import { param, refuse } from '../../../http/param.ts'
import { choice, text, bool, hash, int, list } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import { project } from '../../projects/index.ts'
import { flagsOf } from '../clients/features.ts'
import { evaluate } from '../evaluation/evaluate.ts'
import { abilities } from '../policy.ts'
import { FeatureFlag, FeatureFlagEvaluation } from './entity.ts'
import { createFlag, findFlag, listFlags, removeFlag, showFlag, updateFlag } from './service.ts'

/**
 * Declares a parameter with a JSON value. Clients send it as JSON, as nested form fields, or as text. The service checks
 * its content.
 */
function json(type: 'object' | 'array') {
  return param<unknown>({ type, ...(type === 'array' ? { items: { type: 'object' } } : {}) }, (raw) => {
    if (typeof raw !== 'string') return raw
    try {
      return JSON.parse(raw) as unknown
    } catch {
      return refuse('is invalid')
    }
  })
}

const strategyName = text({ max: 255 }).describe('The name of the strategy')
const strategyParameters = json('object').describe('The parameters of the strategy')
const user_list_id = int().nullable().optional().describe('The ID of a user list of the project')
const environment_scope = text().describe('The name of an environment. `*` matches any characters')

const newStrategy = hash({
  name: strategyName,
  parameters: strategyParameters,
  user_list_id,
  scopes: list(hash({ environment_scope })).optional(),
})

const changedStrategy = hash({
  id: int().optional(),
  name: strategyName.optional(),
  parameters: strategyParameters.optional(),
  user_list_id,
  _destroy: bool().optional(),
  scopes: list(
    hash({
      id: int().optional(),
      environment_scope: environment_scope.optional(),
      _destroy: bool().optional(),
    }),
  ).optional(),
})

const common = {
  description: text().nullable().optional().describe('The description, at most 255 characters'),
  active: bool().optional().describe('Whether the flag is active'),
}
const name = text().describe('The name: 2 to 63 lowercase letters, digits, `-` and `_`')

/** The parameters of a new flag. */
const newFlagParams = {
  name,
  version: text({ max: 255 })
    .optional()
    .describe(
      'The version: `new_version_flag`, the default for a flag with strategies. Without version and strategies, the flag is a legacy flag, which has scopes',
    ),
  ...common,
  strategies: list(newStrategy)
    .optional()
    .describe('The strategies: for which users and environments the flag is on'),
  scopes: list(
    hash({ environment_scope, active: bool().default(false), strategies: json('array').optional() }),
  )
    .optional()
    .describe('For legacy flags: the environments where the flag is on. The first scope must be `*`'),
}

/** The parameters of updating a flag. */
const changedFlagParams = {
  name: name.optional(),
  ...common,
  strategies: list(changedStrategy)
    .optional()
    .describe(
      'Strategies to add, and by ID those to update or, with `_destroy`, to delete. Others stay unchanged',
    ),
}

export const evaluateFlags = endpoint('GET /-/projects/:id/feature_flags/evaluation', {
  summary: 'Evaluate the feature flags of a project for a user',
  scope: project,
  can: abilities.read_feature_flags,
  params: {
    environment: text({ max: 255, notEmpty: true }).describe('The name of the environment'),
    user_id: text({ max: 256 }).optional().describe('The ID of the user in the application'),
    session_id: text({ max: 256 }).optional().describe('The ID of the session of the user'),
  },
  returns: page(FeatureFlagEvaluation, { paging: 'none' }),
  run: (ctx) => {
    const flags = flagsOf(ctx, ctx.project.id)
    const rows = flags
      .map((flag) => ({ id: flag.id, ...evaluate(flag, ctx.params) }))
      .sort((flag, other) => (flag.name < other.name ? -1 : 1))
    return { rows, total: rows.length }
  },
})

const feature_flag_name = text().describe('The name of the flag')
const INVALID = 'A list of error messages, or `Version is invalid`'

export const listFeatureFlags = endpoint('GET /projects/:id/feature_flags', {
  summary: 'List project feature flags',
  scope: project,
  can: abilities.read_feature_flags,
  pure: true,
  params: {
    scope: choice('enabled', 'disabled')
      .optional()
      .describe('Filter by active (`enabled`) or inactive (`disabled`) flags'),
  },
  returns: page(FeatureFlag),
  run: (ctx) => {
    const { scope } = ctx.params
    const active = scope === undefined ? undefined : scope === 'enabled'
    return listFlags(ctx, { project_id: ctx.project.id, active }, ctx.paging)
  },
})

export const getFeatureFlag = endpoint('GET /projects/:id/feature_flags/:feature_flag_name', {
  summary: 'Get a single feature flag',
  scope: project,
  can: abilities.read_feature_flags,
  pure: true,
  params: { feature_flag_name },
  returns: ok(FeatureFlag),
  run: (ctx) => showFlag(ctx, findFlag(ctx, ctx.project.id, ctx.params.feature_flag_name)),
})

export const createFeatureFlag = endpoint('POST /projects/:id/feature_flags', {
  summary: 'Create a feature flag',
  scope: project,
  can: abilities.admin_feature_flags,
  params: newFlagParams,
  fails: { 400: INVALID, 403: 'Access Denied' },
  returns: created(FeatureFlag),
  run: ({ project: owner, params, ...ctx }) => createFlag(ctx, owner, params),
})

export const updateFeatureFlag = endpoint('PUT /projects/:id/feature_flags/:feature_flag_name', {
  summary: 'Update a feature flag',
  scope: project,
  can: abilities.admin_feature_flags,
  params: { feature_flag_name, ...changedFlagParams },
  fails: {
    400: INVALID,
    403: 'Access Denied',
    422: 'PUT operations are not supported for legacy feature flags',
  },
  returns: ok(FeatureFlag),
  run: ({ project: owner, params, ...ctx }) =>
    updateFlag(ctx, owner, findFlag(ctx, owner.id, params.feature_flag_name), params),
})

export const deleteFeatureFlag = endpoint('DELETE /projects/:id/feature_flags/:feature_flag_name', {
  summary: 'Delete a feature flag',
  scope: project,
  can: abilities.admin_feature_flags,
  params: { feature_flag_name },
  fails: { 403: 'Access Denied' },
  returns: noContent,
  run: ({ project: owner, params, http, ...ctx }) => {
    const row = findFlag(ctx, owner.id, params.feature_flag_name)
    http.unmodifiedSince(row.updated_at)
    removeFlag(ctx, owner, row)
  },
})
