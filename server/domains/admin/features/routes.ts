import { z } from 'zod'

import { endpoint, exclusive } from '../../../http/endpoint.ts'
import { entity, row } from '../../../http/entity.ts'
import { bool, choice, text } from '../../../http/params.ts'
import { created, noContent, page } from '../../../http/returns.ts'
import { gateViews, stateOf } from './gates.ts'
import { deleteFeature, setFeature } from './service.ts'
import { list, type FeatureRow } from './store.ts'

/** A feature with a stored setting (spec administration 13). Other features are not listed. */
const InstanceFeature = entity(
  'InstanceFeature',
  {
    name: z.string(),
    state: z.enum(['on', 'off', 'conditional']),
    gates: z.array(
      z.strictObject({
        key: z.string(),
        value: z.union([z.boolean(), z.number(), z.array(z.string())]),
      }),
    ),
    definition: z.null(),
  },
  ({ name, gates }: FeatureRow) => ({
    name,
    state: stateOf(gates),
    gates: gateViews(gates).map(({ key, value }) => ({
      key,
      value: typeof value === 'object' ? [...value] : value,
    })),
    definition: null,
  }),
)

/** The definition of a feature. */
const FeatureDefinition = entity(
  'FeatureDefinition',
  {
    name: z.string(),
    introduced_by_url: z.string().nullable(),
    rollout_issue_url: z.string().nullable(),
    milestone: z.string().nullable(),
    type: z.string(),
    group: z.string().nullable(),
    default_enabled: z.boolean(),
  },
  row<{ name: string; type: string; default_enabled: boolean }>(),
  () => ({
    introduced_by_url: null,
    rollout_issue_url: null,
    milestone: null,
    group: null,
  }),
)

const name = text({ max: 255, notEmpty: true }).describe('Name of the feature')
const target = (description: string) =>
  text({ max: 10_000 }).optional().describe(`${description}. Separate multiple values with commas`)

export const listFeatures = endpoint('GET /features', {
  summary: 'List all features',
  can: 'admin',
  returns: page(InstanceFeature, { paging: 'none' }),
  run: (ctx) => {
    const rows = list(ctx.db)
    return { rows, total: rows.length }
  },
})

export const listDefinitions = endpoint('GET /features/definitions', {
  summary: 'List all feature definitions',
  can: 'admin',
  returns: page(FeatureDefinition, { paging: 'none' }),
  run: () => ({ rows: [], total: 0 }),
})

export const updateFeature = endpoint('POST /features/:name', {
  summary: 'Set or create a feature',
  can: 'admin',
  params: {
    name,
    value: text({ max: 40 }).describe('`true` or `false` to enable or disable the feature, or a percentage'),
    key: choice('percentage_of_actors', 'percentage_of_time')
      .optional()
      .describe('The gate that a percentage sets. Defaults to `percentage_of_time`'),
    feature_group: text({ max: 255 }).optional().describe('Name of a feature group'),
    user: target('User name'),
    group: target('Full path of a group'),
    namespace: target('Full path of a group or a personal namespace'),
    project: target('Full path of a project'),
    repository: target('Full path of the project of a repository'),
    force: bool().optional().describe('Ignored; every name is accepted'),
  },
  parameterRules: ['feature_group', 'user', 'group', 'namespace', 'project', 'repository'].map((other) =>
    exclusive('key', other),
  ),
  fails: { 400: 'The value is invalid, or a target does not exist' },
  returns: created(InstanceFeature),
  run: ({ params, ...ctx }) => setFeature(ctx, params),
})

export const removeFeature = endpoint('DELETE /features/:name', {
  summary: 'Delete a feature',
  can: 'admin',
  params: { name },
  returns: noContent,
  run: (ctx) => deleteFeature(ctx, ctx.params.name),
})
